/* The checks of lab 00. Every reading of the clock is noted and marked in the record, so that the checks see what a
 * time spans. No check depends on how long anything took. */
#include "check.h"
#include "shared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

CHECK_LAB("lab00", "Measuring");

static int steps(void) { return strcmp(check_device()->kind, "cuda") == 0 ? 400000 : 300; }

/* ------------------------------------------------------------------------------------------------------
 * Runs
 */

typedef struct run {
    check_program *program;
    const lab_trace *trace;
    lab00_memory memory; /* the readings */
} run;

static run call(const char *function, lab00_arguments arguments, void *result, size_t bytes)
{
    run made = {.program = check_start(sizeof(lab00_memory))};
    arguments.steps = steps();
    check_trace_begin(made.program);
    check_call(made.program, function, &arguments, sizeof arguments, result, bytes);
    check_snapshot(made.program, &made.memory, 0, sizeof made.memory);
    made.trace = check_trace(made.program);
    return made;
}

static bool is_mark(const lab_trace_op *op, const char *name)
{
    return op->kind == LAB_OP_MARK && strcmp(op->name, name) == 0;
}

/* The index of mark number `which` (from 0) with this name; -1 if the record has fewer. */
static int64_t find_mark(const lab_trace *trace, const char *name, int which)
{
    for (size_t i = 0; i < trace->ops; i++)
        if (is_mark(&trace->op[i], name) && which-- == 0) return (int64_t)i;
    return -1;
}

/* The first wait of the host between two operations; NULL if the host does not wait there. */
static const lab_trace_op *wait_between(const lab_trace *trace, int64_t first, int64_t last)
{
    return lab_trace_host_wait_between(trace, (uint64_t)first + 1, (uint64_t)last + 1);
}

/* Whether the host waited for the work before operation `last`. If not, says which wait since `first` was for
 * something else. */
static bool is_waited_for_before(const lab_trace *trace, const lab_trace_op *work, int64_t first, int64_t last)
{
    lab_relations *relations;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    const lab_trace_op *done = lab_relations_waited_by(relations, work->id);
    lab_relations_free(relations);
    if (done && (int64_t)done->id <= last) return true;
    const lab_trace_op *vain = wait_between(trace, first, last);
    check_found("%s", vain ? "a wait for something else" : "none");
    if (!vain) return false;
    check_locate(vain);
    check_cause("this waits for another stream than task->stream; NULL means the current one, here the null stream");
    return false;
}

/* The kernel that was launched by the call of enqueue after this mark. */
static const lab_trace_op *kernel_after(const lab_trace *trace, int64_t mark)
{
    for (size_t i = (size_t)mark; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_KERNEL) return &trace->op[i];
    return NULL;
}

static bool same(double one, double other) { return fabs(one - other) <= 1e-9 + 1e-6 * fabs(other); }

/* Checks a single time by the host's clock: two readings with the call in between, and their difference as the
 * result. */
static void check_span(const run *measured, double reported, int64_t place[3], const char *function)
{
    check_expected("two readings of the clock with one call of enqueue in between");
    check_found("%d readings, %d calls", measured->memory.readings, measured->memory.calls);
    if (measured->memory.calls == 0) check_cause("%s is not written yet", function);
    CHECK_THAT(measured->memory.readings == 2 && measured->memory.calls == 1, CHECK_RULE,
               "%s does not measure one call", function);
    place[0] = find_mark(measured->trace, LAB00_CLOCK_MARK, 0);
    place[1] = find_mark(measured->trace, LAB00_ENQUEUE_MARK, 0);
    place[2] = find_mark(measured->trace, LAB00_CLOCK_MARK, 1);
    CHECK_THAT(place[0] >= 0 && place[0] < place[1] && place[1] < place[2], CHECK_RULE,
               "%s does not read the clock before and after the call", function);
    double read = measured->memory.reading[1] - measured->memory.reading[0];
    check_expected("%.6f ms, the second reading minus the first", read);
    check_found("%.6f ms", reported);
    CHECK_THAT(same(reported, read), CHECK_WRONG_RESULT, "%s does not report the time between its readings", function);
}

/* ------------------------------------------------------------------------------------------------------
 * Tasks 1 to 3
 */

CHECK(wrong_time_is_the_calls, .points = 10, .title = "Task 1: the wrong time, as asked for",
      .hints = {
          "Task 1 asks for the mistake: what stands between the two readings of the clock?",
          "Read the clock, enqueue, read it again. Nothing waits.",
          "double start = lab00_clock(); LAB_TRY(task->enqueue(task->user)); *milliseconds = lab00_clock() - start;"})
{
    lab00_time said;
    int64_t place[3];
    run measured = call("lab00_wrong_time", (lab00_arguments){0}, &said, sizeof said);
    check_span(&measured, said.milliseconds, place, "lab00_wrong_time");
    check_timing("task 1, the wrong time", CHECK_YOURS, &said.milliseconds, 1);
    const lab_trace_op *wait = wait_between(measured.trace, place[0], place[2]);
    if (wait) check_locate(wait);
    CHECK_THAT(!wait, CHECK_RULE, "lab00_wrong_time waits for the work; here it must not");
}

CHECK(host_time_is_the_works, .points = 20, .title = "Task 2: the host's clock, from the work's beginning to its end",
      .hints = {
          "Task 2: is the work done when the clock stops? Had it begun when the clock started?",
          "The call only enqueues: wait for the stream before the clock stops. And earlier work may still be on the "
          "stream: wait for that before the clock starts.",
          "lab_stream_synchronize(task->stream) before the first reading, and again between enqueue and the second."})
{
    lab00_time said;
    int64_t place[3];
    run measured = call("lab00_host_time", (lab00_arguments){0}, &said, sizeof said);
    check_artifact_trace(measured.trace, "lab00_host_time");
    check_span(&measured, said.milliseconds, place, "lab00_host_time");
    check_timing("task 2, host clock and waits", CHECK_YOURS, &said.milliseconds, 1);
    check_expected("a wait for task->stream between the call and the second reading");
    check_cause("the call only enqueues: without a wait the clock stops before the work is done");
    CHECK_THAT(is_waited_for_before(measured.trace, kernel_after(measured.trace, place[1]), place[1], place[2]),
               CHECK_RULE, "lab00_host_time stops the clock early");
    check_expected("a wait for task->stream before the first reading");
    check_cause("work that was on the stream before is still running when the clock starts, and counts");
    int64_t earlier = place[0];
    while (earlier > 0 && measured.trace->op[earlier].kind != LAB_OP_KERNEL) earlier--;
    CHECK_THAT(is_waited_for_before(measured.trace, &measured.trace->op[earlier], earlier, place[0]), CHECK_RULE,
               "lab00_host_time starts the clock early");
    const lab_trace_op *wait = wait_between(measured.trace, place[0], place[1]);
    if (wait) check_locate(wait);
    CHECK_THAT(!wait, CHECK_RULE, "lab00_host_time waits for earlier work while the clock runs");
}

/* Sets the location to the student's call that is nearest to an operation, before it or after it. The operation itself
 * may be program.c's. */
static void locate_near(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    for (int64_t i = (int64_t)op->id - 1; i >= 0 && i < (int64_t)trace->ops; i += direction)
        if (strcmp(trace->op[i].file, "lab00.c") == 0) return check_locate(&trace->op[i]);
}

/* The time between the event records just before and just after the kernel. */
static double recorded_time(const lab_trace *trace, const lab_trace_op *kernel, const char *function)
{
    const lab_trace_op *records[2];
    for (int i = 0; i < 2; i++) {
        records[i] = check_beside(trace, kernel, i ? 1 : -1);
        locate_near(trace, kernel, i ? 1 : -1);
        check_expected("an event record on task->stream just %s the work", i ? "after" : "before");
        check_found("%s", records[i] ? lab_op_kind_name(records[i]->kind) : "nothing");
        check_cause(
            "an event is recorded elsewhere, or on another stream (NULL is the null stream here), or not at all");
        CHECK_THAT(records[i] && records[i]->kind == LAB_OP_EVENT_RECORD, CHECK_RULE,
                   "the events of %s do not stand around the work", function);
    }
    check_cause("%s", "");
    return (double)(records[1]->end_ns - records[0]->end_ns) / 1e6;
}

CHECK(device_time_is_the_works, .points = 20, .measures = true, .title = "Task 3: the device's time, by events",
      .hints = {"Task 3: what lies between your two events, on their stream?",
                "Record the first event just before enqueue, the second just after it, both on task->stream. The time "
                "exists when both are done.",
                "create both; lab_event_record(start, task->stream); enqueue; lab_event_record(end, task->stream); "
                "lab_event_synchronize(end); lab_event_elapsed_time; destroy both."})
{
    lab00_time said;
    run measured = call("lab00_device_time", (lab00_arguments){0}, &said, sizeof said);
    int64_t mark = find_mark(measured.trace, LAB00_ENQUEUE_MARK, 0);
    if (mark < 0) check_cause("lab00_device_time is not written yet");
    CHECK_THAT(mark >= 0 && measured.memory.calls == 1, CHECK_RULE, "lab00_device_time does not enqueue the work once");
    double recorded = recorded_time(measured.trace, kernel_after(measured.trace, mark), "lab00_device_time");
    check_timing("task 3, events", CHECK_YOURS, &said.milliseconds, 1);
    check_expected("%.4f ms, as recorded", recorded);
    check_found("%.4f ms", said.milliseconds);
    check_cause_event_time();
    if (said.milliseconds < 0) check_cause("the two events are the wrong way round: the earlier one comes first");
    CHECK_THAT(check_is_event_time(said.milliseconds, recorded), CHECK_WRONG_RESULT,
               "lab00_device_time does not report the time between its events");
}

/* ------------------------------------------------------------------------------------------------------
 * Task 4
 */

CHECK(benchmark_repeats, .points = 10, .title = "Task 4: warm-up plus repeats, and the clock for the repeats only",
      .hints = {
          "Task 4: how often is the work done, and how often is the clock read?",
          "warm_up calls for nothing, then repeats calls with a reading before and after each.",
          "for (k < warm_up) enqueue; synchronize; for (k < repeats) { record start; begin = clock; enqueue; host[k] "
          "= clock - begin; record end; synchronize end; elapsed time into device[k]; }"})
{
    static const lab00_arguments cases[] = {{0, 3, 10}, {0, 0, 1}, {0, 2, 7}, {0, 1, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab00_said said;
        int warm_up = cases[i].warm_up, repeats = cases[i].repeats;
        run measured = call("lab00_benchmark", cases[i], &said, sizeof said);
        check_expected("%d calls of enqueue for %d warm-ups and %d repeats", warm_up + repeats, warm_up, repeats);
        check_found("%d", measured.memory.calls);
        if (measured.memory.calls == 0) check_cause("lab00_benchmark is not written yet");
        CHECK_THAT(measured.memory.calls == warm_up + repeats, CHECK_RULE, "lab00_benchmark does not repeat as asked");
        check_expected("%d readings of the clock", 2 * repeats);
        check_found("%d", measured.memory.readings);
        CHECK_THAT(measured.memory.readings == 2 * repeats, CHECK_RULE,
                   "lab00_benchmark does not read the clock before and after each repeat");
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median, mean, deviation, least, most. */
static void summarize(double numbers[5], double *times, int count)
{
    double mean = 0, squares = 0;
    qsort(times, (size_t)count, sizeof *times, by_size);
    for (int k = 0; k < count; k++) mean += times[k] / count;
    for (int k = 0; k < count; k++) squares += (times[k] - mean) * (times[k] - mean) / count;
    const double result[] = {(times[(count - 1) / 2] + times[count / 2]) / 2, mean, sqrt(squares), times[0],
                             times[count - 1]};
    memcpy(numbers, result, sizeof result);
}

/* The likely cause if this number is wrong. */
static const char *cause_of(int which)
{
    static const char *const causes[] = {"of an even number of times it is the mean of the middle two, once sorted",
                                         "the sum of the times, divided by how many there are",
                                         "the square root of the mean of (time - mean)^2: divide by n, not by n - 1",
                                         "another time counts as one of the repeats, or one is missing",
                                         "another time counts as one of the repeats, or one is missing"};
    return causes[which];
}

static void compare(const double said[5], double *times, int count, bool events, const char *whose)
{
    static const char *const names[] = {"median", "mean", "standard deviation", "least", "most"};
    double right[5];
    summarize(right, times, count);
    for (int i = 0; i < 5; i++) {
        check_expected("%s %s: %.6f ms", whose, names[i], right[i]);
        check_found("%.6f ms", said[i]);
        check_cause(said[i] == 0 ? "summarize does not fill it in yet" : "%s", cause_of(i));
        CHECK_THAT(events ? check_is_event_time(said[i], right[i]) : same(said[i], right[i]), CHECK_WRONG_RESULT,
                   "the %s of the %s's times is wrong", names[i], whose);
    }
}

/* As many repeats as a timed row has samples. The student's function takes them all in one call. The check compares
 * with the record how they were taken, so it needs no reference and gives no points for speed. */
enum { WARM_UP = 2, REPEATS = CHECK_SAMPLES };

static run run_benchmark(lab00_said *said)
{
    run measured = call("lab00_benchmark", (lab00_arguments){0, WARM_UP, REPEATS}, said, sizeof *said);
    CHECK_THAT(measured.memory.calls == WARM_UP + REPEATS && measured.memory.readings == 2 * REPEATS, CHECK_RULE,
               "lab00_benchmark does not repeat as asked");
    return measured;
}

CHECK(host_numbers_are_the_calls, .points = 15, .measures = true,
      .title = "Task 4: the host's numbers are those of the calls",
      .hints = {
          "Task 4: what does the host do between the two readings of a repeat?",
          "It enqueues and nothing else: the waiting comes after the second reading. Median, mean and deviation are "
          "those of these times.",
          "The median of sorted times is (times[(count - 1) / 2] + times[count / 2]) / 2; the deviation is the root "
          "of the mean of (time - mean)^2, divided by count."})
{
    lab00_said said;
    run measured = run_benchmark(&said);
    double times[REPEATS];
    for (int k = 0; k < REPEATS; k++) {
        int64_t begin = find_mark(measured.trace, LAB00_CLOCK_MARK, 2 * k),
                end = find_mark(measured.trace, LAB00_CLOCK_MARK, 2 * k + 1);
        int64_t enqueued = find_mark(measured.trace, LAB00_ENQUEUE_MARK, WARM_UP + k);
        CHECK_THAT(begin < enqueued && enqueued < end, CHECK_RULE, "the clock is not read around repeat %d", k);
        const lab_trace_op *wait = wait_between(measured.trace, begin, end);
        if (wait) check_locate(wait);
        check_cause("the host's clock runs while the host waits: what it shows is the device's work");
        CHECK_THAT(!wait, CHECK_RULE, "lab00_benchmark waits between the readings of the host's clock");
        times[k] = measured.memory.reading[2 * k + 1] - measured.memory.reading[2 * k];
    }
    check_cause("%s", "");
    check_timing("host, the call that enqueues", CHECK_YOURS, times, REPEATS);
    compare(said.host, times, REPEATS, false, "host");
}

CHECK(device_numbers_are_the_works, .points = 20, .measures = true,
      .title = "Task 4: the device's numbers are those of the work",
      .hints = {
          "Task 4: between which two moments of the stream does each device time lie?",
          "Events just before and just after the call, on the stream, in every repeat; the warm-ups do not count.",
          "lab_event_record(start, task->stream) before the first reading, lab_event_record(end, task->stream) after "
          "the second; after the wait, lab_event_elapsed_time into device[k]."})
{
    lab00_said said;
    run measured = run_benchmark(&said);
    double times[REPEATS];
    for (int k = 0; k < REPEATS; k++) {
        int64_t mark = find_mark(measured.trace, LAB00_ENQUEUE_MARK, WARM_UP + k);
        const lab_trace_op *kernel = kernel_after(measured.trace, mark);
        CHECK_THAT(kernel, CHECK_RULE, "repeat %d did not reach the device", k);
        times[k] = recorded_time(measured.trace, kernel, "lab00_benchmark");
    }
    check_timing("device, the work", CHECK_YOURS, times, REPEATS);
    compare(said.device, times, REPEATS, true, "device");
}

CHECK(events_are_given_back, .points = 5, .title = "Events are given back",
      .hints = {
          "An event that your function makes is still there when it returns.", "lab_event_destroy gives it back.",
          "Two events in lab00_device_time, two in lab00_benchmark: made once, used in every repeat, destroyed once."})
{
    lab00_time single;
    lab00_said said;
    check_given_back(call("lab00_device_time", (lab00_arguments){0}, &single, sizeof single).trace, "event");
    check_given_back(run_benchmark(&said).trace, "event");
}
