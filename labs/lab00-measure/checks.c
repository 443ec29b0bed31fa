/* The checks of lab 00. Every reading of the clock is marked in the record, so that the checks see what a time spans,
 * and how long it was. No check depends on how long anything took. */
#include "checks_statistics.h"
#include "find.h"
#include "lab00.h"
#include "plan.h"
#include "shared.h"

#include <math.h>
#include <string.h>

CHECK_LAB("lab00", "Measuring");

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

typedef struct run {
    const lab_trace *first, *trace; /* of the first call; of the second one, which is judged */
    const lab_trace_op **kernel;    /* the work: first what was on the stream before, then that of each call */
    const lab_trace_op **clock;     /* the mark before each reading of the clock */
    const lab_trace_op **read;      /* and the one after it */
    int calls, readings;
} run;

/* Whether the kernel was launched with so many steps, its last argument. */
static bool takes_steps(const lab_trace_op *kernel, int count)
{
    unsigned char bytes[sizeof count];
    const char *last = strrchr(kernel->arguments, ' '), *word = "";
    memcpy(bytes, &count, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) word = check_text("%s%02x", word, bytes[i]);
    return last && strcmp(last + 1, word) == 0;
}

/* Finds the work in the record. What stands there counts, not what the program says. */
static void find_work(run *made, const lab00_arguments *arguments)
{
    int kernels = 0, clocks = 0;
    const char *module = check_module("kernels.cu");
    const size_t most = made->trace->ops + 1;
    made->kernel = check_alloc(most * sizeof *made->kernel);
    made->clock = check_alloc(most * sizeof *made->clock);
    made->read = check_alloc(most * sizeof *made->read);
    for (const lab_trace_op *op = made->trace->op; op < made->trace->op + made->trace->ops; op++) {
        if (check_is_mark(op, LAB00_CLOCK_MARK)) made->clock[clocks++] = op;
        if (check_is_mark(op, LAB00_READ_MARK)) made->read[made->readings++] = op;
        if (op->kind == LAB_OP_KERNEL && strcmp(op->module, module) == 0) made->kernel[kernels++] = op;
    }
    CHECK_THAT(clocks == made->readings, CHECK_RULE, "a reading of the clock has no end");
    for (int k = 0; k < kernels; k++) {
        const int times = k == 0 ? 4 : 1 + arguments->more[(k - 1) % LAB00_LENGTHS];
        const bool enqueued = takes_steps(made->kernel[k], arguments->steps * times);
        CHECK_THAT(enqueued, CHECK_RULE, check_text("launch %d of the kernel is not that of task->enqueue", k),
                   .at = check_at(made->kernel[k]));
    }
    CHECK_THAT(kernels > 0, CHECK_RULE, "the work that was on the stream before is gone");
    made->calls = kernels - 1;
}

static run call(const char *function, lab00_arguments arguments, void *result, size_t bytes)
{
    run made = {0};
    check_program *program = check_start(0);
    arguments.steps = strcmp(check_device()->kind, "cuda") == 0 ? 400000 : 300;
    /* The second call, which is judged, gives other times. */
    const check_two_calls calls = check_call_twice(program, function, &arguments, sizeof arguments, result, bytes);
    made.first = calls.first;
    made.trace = calls.second;
    find_work(&made, &arguments);
    return made;
}

/* The cause if nothing was enqueued, else NULL. */
static const char *cause_of_no_call(const run *measured, const char *function)
{
    if (measured->calls > 0) return NULL;
    return measured->readings > 0 || check_count_ops(measured->trace, LAB_OP_EVENT_CREATE) > 0
               ? "task->enqueue(task->user) is never called"
               : check_text("%s neither reads the clock nor enqueues: is it written yet?", function);
}

/* Whether a number agrees, but for rounding. */
static bool agrees(double said, check_bounds right)
{
    return fabs(said - middle(right)) <= half_width(right) + 1e-5 + 1e-6 * fabs(middle(right));
}

/* The time from reading number `first` of the clock to the next: each lies between its two marks. */
static check_bounds between_readings(const run *measured, int first)
{
    const lab_trace_op **const clock = measured->clock + first, **const read = measured->read + first;
    CHECK_THAT(first + 1 < measured->readings, CHECK_RULE, "the clock is not read before and after the call");
    return (check_bounds){(double)(clock[1]->call_ns - read[0]->call_ns) / 1e6,
                          (double)(read[1]->call_ns - clock[0]->call_ns) / 1e6};
}

/* Fails the check with this finding unless the host waited for the work before operation `last`. If a wait since then
 * was for something else, that one is told. */
static void require_wait(const lab_trace *trace, const lab_trace_op *work, const lab_trace_op *last,
                         check_finding finding)
{
    lab_relations *relations = check_relations(trace);
    const lab_trace_op *done = lab_relations_waited_by(relations, work->id);
    if (done && done->id < last->id) return;
    const lab_trace_op *vain = lab_trace_host_wait_between(trace, work->id, last->id);
    finding.found = vain ? "a wait for something else" : "none";
    if (vain) {
        finding.at = check_at(vain);
        finding.cause = vain->kind == LAB_OP_EVENT_SYNC || vain->kind == LAB_OP_EVENT_QUERY
                            ? "this waits for an event that does not come after the work"
                            : "this waits for another stream than task->stream; NULL means the current one, here the "
                              "null stream";
    }
    check_fail_with(finding);
}

/* Checks a single time by the host's clock: two readings with the call in between, and their difference as the
 * result. */
static void check_single_time(const run *measured, double reported, const char *function)
{
    CHECK_THAT(measured->readings == 2 && measured->calls == 1, CHECK_RULE,
               check_text("%s does not measure one call", function),
               .expected = "two readings of the clock with one call of enqueue in between",
               .found = check_text("%d readings, %d calls", measured->readings, measured->calls),
               .cause = cause_of_no_call(measured, function));
    const check_bounds read = between_readings(measured, 0);
    const lab_trace_op *work = measured->kernel[1], *stopped = measured->clock[1];
    CHECK_THAT(measured->read[0] < work && work < stopped, CHECK_RULE,
               check_text("%s does not read the clock before and after the call", function), .at = check_at(work));
    CHECK_THAT(agrees(reported, read), CHECK_WRONG_RESULT,
               check_text("%s does not report the time between its readings", function), .at = check_at(stopped),
               .expected = check_text("%.6f ms, the second reading minus the first, to within %.6f ms", middle(read),
                                      half_width(read)),
               .found = check_text("%.6f ms", reported));
}

/* There must be nothing but the work between a reading of the clock and the next, and where events measure too, their
 * records. */
static void check_only_enqueues(const run *measured, int reading, const lab_trace_op *work, bool events,
                                const char *function)
{
    for (const lab_trace_op *op = measured->read[reading] + 1; op < measured->clock[reading + 1]; op++) {
        if (op == work || check_is_note(op) || (events && op->kind == LAB_OP_EVENT_RECORD)) continue;
        check_fail(CHECK_RULE, check_text("%s does more than enqueue while the clock runs", function),
                   .at = check_at(op), .expected = "nothing but the call between the two readings",
                   .found = lab_op_kind_name(op->kind),
                   .cause = op->host_waits ? "the clock runs while the host waits: what it shows is the device's work"
                                           : "this call takes time too, and its time counts");
    }
}

/* ---- Task 0 ------------------------------------------------------------------------------------------------------ */

/* What the kernel writes there: the number of the block and that of the thread. */
static int label_of(int i) { return 1000 * (i / LAB00_BLOCK) + i % LAB00_BLOCK; }

/* Calls lab00_first_kernel for so many numbers. Fails the check unless its one launch wrote all of them. */
static void launch_once(check_program *program, int count)
{
    const size_t bytes = (size_t)count * sizeof(int);
    const int last = count - 1, blocks = last / LAB00_BLOCK + 1;
    int *found = check_alloc(bytes), written = 0;
    check_trace_begin(program);
    check_call(program, "lab00_first_kernel", &count, sizeof count, NULL, 0);
    check_snapshot(program, found, 0, bytes);
    const lab_trace *trace = check_trace(program);
    const lab_trace_op *kernel = check_find_last(trace, (check_sought){LAB_OP_KERNEL, .name = "label"});
    int launches = 0;
    for (size_t i = 0; i < trace->ops; i++)
        launches += trace->op[i].kind == LAB_OP_KERNEL && strcmp(trace->op[i].name, "label") == 0;
    CHECK_THAT(kernel && launches == 1, CHECK_RULE, "lab00_first_kernel does not launch label once",
               .at = check_at(kernel), .expected = "one launch of label", .found = check_text("%d", launches));
    const unsigned threads = kernel->grid.x * LAB00_BLOCK;
    check_launched(check_whole(trace, "lab00_first_kernel"), kernel, 1, 0, LAB00_BLOCK, NULL);
    for (int i = 0; i < count; i++) written += found[i] == label_of(i);
    CHECK_THAT(written == count, CHECK_WRONG_RESULT, "lab00_first_kernel leaves numbers unwritten",
               .at = check_at(kernel),
               .expected = check_text("%d of %d numbers written; the last is %d, from thread %d of block %d", count,
                                      count, label_of(last), last % LAB00_BLOCK, last / LAB00_BLOCK),
               .found = check_text("%d of %d numbers written; the last is %d", written, count, found[last]),
               .cause = threads < (unsigned)count
                            ? check_text("%u threads for %d numbers: each number is written by a thread of its own",
                                         threads, count)
                            : "the threads are enough; LAB_ARGS passes the array and the count");
    CHECK_THAT(
        kernel->grid.x == (unsigned)blocks && kernel->grid.y == 1 && kernel->grid.z == 1, CHECK_RULE,
        "lab00_first_kernel launches more blocks than needed", .at = check_at(kernel),
        .expected =
            check_text("%d block%s for %d number%s", blocks, blocks == 1 ? "" : "s", count, count == 1 ? "" : "s"),
        .found = check_text("%u x %u x %u", kernel->grid.x, kernel->grid.y, kernel->grid.z),
        .cause = check_text("the last block has no number to write: blocks = count / %d, rounded up", LAB00_BLOCK));
    CHECK_THAT(check_stream(trace, kernel->stream)->null_stream, CHECK_RULE,
               "lab00_first_kernel launches on another stream", .at = check_at(kernel),
               .expected = "the current stream, here the null stream", .found = "another stream",
               .cause = "NULL as the stream of lab_launch means the current stream");
    check_flow(program, trace,
               &(check_way){.function = "lab00_first_kernel",
                            .passage = &(check_passage){.output = {found, bytes}},
                            .passages = 1,
                            .kernel = {{"kernels.cu", "label(int numbers[count], int count)"}}});
}

CHECK(first_kernel_reaches_all, .points = 5, .title = "Task 0: a thread for each number",
      .hints = {"Task 0: how many threads do so many blocks of 256 have?",
                "1000 numbers need 1000 threads. Three blocks have 768, four have 1024: divide, and round up.",
                "To round up in C, add the divisor minus 1 before you divide: (count + LAB00_BLOCK - 1) / "
                "LAB00_BLOCK."})
{
    const int counts[] = {check_draw(600, 1500), 1, 255, 256, 257, LAB00_MOST_NUMBERS};
    check_program *program = check_start(sizeof(lab00_memory));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) launch_once(program, counts[i]);
}

/* ---- Tasks 1 to 3 ------------------------------------------------------------------------------------------------ */

/* The work is given and delivers nothing: what is asked for is how it is enqueued and measured. */
#define MEASURES_GIVEN_WORK                                                                                            \
    .without_flow = "the task measures given work: the record has its launches, of the lengths drawn for this run"

CHECK(wrong_time_is_the_calls, .points = 5, MEASURES_GIVEN_WORK, .title = "Task 1: the wrong time, as asked for",
      .hints = {
          "Task 1 asks for the mistake: what stands between the two readings of the clock?",
          "Read the clock, enqueue, read it again. Nothing waits.",
          "double start = lab00_clock(); LAB_TRY(task->enqueue(task->user)); *milliseconds = lab00_clock() - start;"})
{
    lab00_time said;
    run measured = call("lab00_wrong_time", (lab00_arguments){0}, &said, sizeof said);
    check_single_time(&measured, said.milliseconds, "lab00_wrong_time");
    check_timing("task 1, the wrong time", CHECK_YOURS, &said.milliseconds, 1);
    check_only_enqueues(&measured, 0, measured.kernel[1], false, "lab00_wrong_time");
}

CHECK(host_time_is_the_works, .points = 20, MEASURES_GIVEN_WORK,
      .title = "Task 2: the host's clock, from the work's beginning to its end",
      .hints = {
          "Task 2: is the work done when the clock stops? Had it begun when the clock started?",
          "The call only enqueues: wait for the stream before the clock stops. And earlier work may still be on the "
          "stream: wait for that before the clock starts.",
          "lab_stream_synchronize(task->stream) before the first reading, and again between enqueue and the second."})
{
    lab00_time said;
    run measured = call("lab00_host_time", (lab00_arguments){0}, &said, sizeof said);
    check_artifact_trace(measured.trace, "lab00_host_time");
    check_single_time(&measured, said.milliseconds, "lab00_host_time");
    check_timing("task 2, host clock and waits", CHECK_YOURS, &said.milliseconds, 1);
    require_wait(measured.trace, measured.kernel[1], measured.clock[1],
                 (check_finding){.kind = CHECK_RULE,
                                 .message = "lab00_host_time stops the clock early",
                                 .at = check_at(measured.clock[1]),
                                 .expected = "a wait for task->stream between the call and the second reading",
                                 .cause = "the call only enqueues: without a wait the clock stops before the work is "
                                          "done"});
    require_wait(measured.trace, measured.kernel[0], measured.clock[0],
                 (check_finding){.kind = CHECK_RULE,
                                 .message = "lab00_host_time starts the clock early",
                                 .at = check_at(measured.clock[0]),
                                 .expected = "a wait for task->stream before the first reading",
                                 .cause = "work that was on the stream before is still running when the clock starts, "
                                          "and counts"});
    const lab_trace_op *wait =
        lab_trace_host_wait_between(measured.trace, measured.read[0]->id, measured.kernel[1]->id);
    CHECK_THAT(!wait, CHECK_RULE, "lab00_host_time waits for earlier work while the clock runs", .at = check_at(wait));
}

/* The student's call that is nearest to an operation, before it or after it. The operation may be program.c's. */
static check_place place_near(const lab_trace *trace, const lab_trace_op *op, int direction)
{
    for (int64_t i = (int64_t)op->id - 1; i >= 0 && i < (int64_t)trace->ops; i += direction)
        if (strcmp(trace->op[i].file, "lab00.c") == 0) return check_at(&trace->op[i]);
    return check_at(NULL);
}

/* Of records of one event, one behind the other on its stream, the last that the host has not waited in front of: that
 * one counts. */
static const lab_trace_op *last_record(const lab_trace *trace, const lab_trace_op *first)
{
    const lab_trace_op *last = first;
    for (const lab_trace_op *op = first; op && op->kind == LAB_OP_EVENT_RECORD && op->object == first->object &&
                                         !lab_trace_host_wait_between(trace, first->id, op->id);
         op = check_beside(trace, op, 1))
        last = op;
    return last;
}

/* The time between the event records just before and just after the kernel, between which the host does not wait. */
static check_bounds recorded_time(const lab_trace *trace, const lab_trace_op *kernel, const char *function)
{
    const check_event_pair events = check_events_around(trace, kernel, check_text("the work of %s", function),
                                                        place_near(trace, kernel, -1), place_near(trace, kernel, 1));
    const lab_trace_op *end = last_record(trace, events.end),
                       *wait = lab_trace_host_wait_between(trace, events.start->id, end->id);
    CHECK_THAT(!wait, CHECK_RULE, check_text("%s waits between its two events", function), .at = check_at(wait),
               .cause = "until the host goes on, the device has nothing to do, and that time counts too");
    return check_event_time(events.start, end);
}

CHECK(device_time_is_the_works, .points = 20, MEASURES_GIVEN_WORK, .measures = true,
      .title = "Task 3: the device's time, by events",
      .hints = {"Task 3: what lies between your two events, on their stream?",
                "Record the first event just before enqueue, the second just after it, both on task->stream. The time "
                "exists when both are done.",
                "create both; lab_event_record(start, task->stream); enqueue; lab_event_record(end, task->stream); "
                "lab_event_synchronize(end); lab_event_elapsed_time; destroy both."})
{
    lab00_time said;
    run measured = call("lab00_device_time", (lab00_arguments){0}, &said, sizeof said);
    CHECK_THAT(measured.calls == 1, CHECK_RULE, "lab00_device_time does not enqueue the work once",
               .at = measured.calls > 1 ? place_near(measured.trace, measured.kernel[2], 1) : check_at(NULL),
               .cause = cause_of_no_call(&measured, "lab00_device_time"));
    const check_bounds recorded = recorded_time(measured.trace, measured.kernel[1], "lab00_device_time");
    check_timing("task 3, events", CHECK_YOURS, &said.milliseconds, 1);
    check_reports_event_time(
        said.milliseconds, recorded, "lab00_device_time",
        (check_finding){.message = "lab00_device_time does not report the time between its events"});
    require_wait(measured.trace, measured.kernel[1], check_mark(measured.trace, "lab00_device_time returned"),
                 (check_finding){.kind = CHECK_RACE_SUSPECTED,
                                 .message = "lab00_device_time does not wait for the work",
                                 .at = place_near(measured.trace, measured.kernel[1], 1),
                                 .expected = "a wait for the second event, or for its stream",
                                 .cause = "nothing waits for the work: its time is there by luck. "
                                          "lab_event_elapsed_time asks and does not wait, also in a loop: call "
                                          "lab_event_synchronize for the second event, or ask lab_event_query until it "
                                          "is done"});
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

/* The calls of enqueue between two operations. */
static int calls_between(const run *measured, const lab_trace_op *from, const lab_trace_op *to)
{
    int calls = 0;
    for (int k = 1; k <= measured->calls; k++) calls += measured->kernel[k] > from && measured->kernel[k] < to;
    return calls;
}

/* Where the number of calls between the two readings of a repeat is wrong. */
static check_finding blame_a_repeat(const run *measured, int repeats)
{
    for (int k = 0; k < repeats; k++) {
        const int calls = calls_between(measured, measured->read[2 * k], measured->read[2 * k + 1]);
        if (calls != 1)
            return (check_finding){
                .at = check_at(measured->read[2 * k + 1]),
                .cause = check_text("between the two readings of repeat %d there are %d calls", k, calls)};
    }
    return (check_finding){0};
}

/* Where the wrong number of calls comes from: the warm-up, a repeat, or the number of repeats. */
static check_finding blame_calls(const run *measured, int warm_up, int repeats)
{
    const int warmed = measured->readings ? calls_between(measured, measured->kernel[0], measured->clock[0]) : warm_up;
    if (measured->calls == 0) return (check_finding){.cause = cause_of_no_call(measured, "lab00_benchmark")};
    if (warmed != warm_up)
        return (check_finding){
            .at = warmed > 0 ? check_at(measured->kernel[1]) : check_at_name("warm_up in lab00_benchmark"),
            .cause = check_text("before the first reading of the clock there are %d calls, for %d warm-ups", warmed,
                                warm_up)};
    if (measured->readings == 2 * repeats) return blame_a_repeat(measured, repeats);
    if (measured->readings < 2 * repeats && measured->calls < warm_up + repeats &&
        check_count_ops(measured->trace, LAB_OP_EVENT_DESTROY) == 0) /* its last call is told */
        return (check_finding){.cause = "the function returns before it has made its last repeat"};
    return (check_finding){.at = check_at_name("repeats in lab00_benchmark"),
                           .cause = check_text("the clock is read %d times, for %d repeats with two readings each",
                                               measured->readings, repeats)};
}

/* Where the clock is not read once before the first call of a repeat and twice between two; NULL: nowhere. */
static const char *cause_of_readings(const run *measured, int warm_up, int repeats)
{
    for (int k = 0; k < repeats; k++) {
        const lab_trace_op **const work = measured->kernel + 1 + warm_up + k;
        const int right = k ? 2 : 1;
        int found = 0;
        for (int r = 0; r < measured->readings; r++)
            found += measured->read[r] < work[0] && (!k || measured->read[r] > work[-1]);
        if (found != right)
            return check_text("%d reading%s %s, not %d: each repeat has one before its call and one after it", found,
                              found == 1 ? "" : "s",
                              k ? check_text("between the calls of repeats %d and %d", k - 1, k)
                                : "before the call of the first repeat",
                              right);
    }
    return NULL;
}

/* The work of each repeat must have ended when the next one begins, and that of the last when the function returns. */
static void check_repeats_are_apart(const run *measured, int warm_up, int repeats)
{
    for (int k = 0; k < repeats; k++) {
        const lab_trace_op *work = measured->kernel[1 + warm_up + k],
                           *next = k + 1 < repeats ? measured->clock[2 * (k + 1)]
                                                   : check_mark(measured->trace, "lab00_benchmark returned");
        CHECK_THAT(work->end_ns >= 0 && work->end_ns <= next->call_ns + check_clock_slack_ns(), CHECK_RULE,
                   "lab00_benchmark enqueues a repeat while the one before is running",
                   .at = place_near(measured->trace, work, 1),
                   .expected = check_text("the work of repeat %d done before %s", k,
                                          k + 1 < repeats ? "the next begins" : "the return"),
                   .found = "that it still runs",
                   .cause = "the host does not wait for each time before the next: wait for the end event in every "
                            "repeat");
    }
}

CHECK(benchmark_repeats, .points = 10, MEASURES_GIVEN_WORK, .schedule = "adversarial",
      .title = "Task 4: warm-up plus repeats, and the clock for the repeats only",
      .hints = {
          "Task 4: how often is the work done, and how often is the clock read?",
          "warm_up calls for nothing, then repeats calls with a reading before and after each.",
          "for (k < warm_up) enqueue; synchronize; for (k < repeats) { record start; begin = clock; enqueue; host[k] "
          "= clock - begin; record end; synchronize end; elapsed time into device[k]; }"})
{
    static const int cases[][2] = {{3, 10}, {0, 1}, {2, 7}, {1, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lab00_said said;
        const int warm_up = cases[i][0], repeats = cases[i][1];
        run measured =
            call("lab00_benchmark", (lab00_arguments){.warm_up = warm_up, .repeats = repeats}, &said, sizeof said);
        if (measured.calls != warm_up + repeats) {
            const check_finding why = blame_calls(&measured, warm_up, repeats);
            check_fail(CHECK_RULE, "lab00_benchmark does not repeat as asked", .at = why.at,
                       .expected = check_text("%d calls of enqueue for %d warm-ups and %d repeats", warm_up + repeats,
                                              warm_up, repeats),
                       .found = check_text("%d", measured.calls), .cause = why.cause);
        }
        CHECK_THAT(measured.readings == 2 * repeats, CHECK_RULE,
                   "lab00_benchmark does not read the clock before and after each repeat",
                   .at = check_at(measured.kernel[1 + warm_up]),
                   .expected = check_text("%d readings of the clock", 2 * repeats),
                   .found = check_text("%d", measured.readings),
                   .cause = cause_of_readings(&measured, warm_up, repeats));
        check_repeats_are_apart(&measured, warm_up, repeats);
    }
}

/* The five numbers of lab00_numbers, with the likely cause if one is wrong. */
enum { MEAN = 1, LEAST = 3, MOST, NUMBERS };
static const struct {
    const char *name, *field, *cause;
} number[NUMBERS] = {
    {"median", "median", "of an even number of times it is the mean of the middle two, once sorted"},
    {"mean", "mean", "the sum of the times, divided by how many there are"},
    {"standard deviation", "deviation", "the square root of the mean of (time - mean)^2: divide by n, not by n - 1"},
    {"least", "least", "another time counts as one of the repeats, or one is missing"},
    {"most", "most", "another time counts as one of the repeats, or one is missing"}};

/* As many repeats as a timed row has samples, or one less for the median of an odd number. The student's function takes
 * them all in one call. The check compares with the record how they were taken, so it needs no reference and gives no
 * points for speed. */
enum { WARM_UP = 2, REPEATS = CHECK_SAMPLES };

/* Whether a number agrees with what was measured. */
static bool is_right(double said, check_bounds right, bool events)
{
    return events ? check_is_event_time(said, right) : agrees(said, right);
}

static void compare(const double said[NUMBERS], const run *measured, const check_bounds *time, int count,
                    const char *whose)
{
    const bool events = strcmp(whose, "device") == 0;
    check_bounds right[NUMBERS];
    summarize_bounds(right, time, count);
    /* The starter finds least and most. Where one of them is wrong and the mean too, so are the times. */
    const bool times_are_wrong =
        !is_right(said[MEAN], right[MEAN], events) &&
        (!is_right(said[LEAST], right[LEAST], events) || !is_right(said[MOST], right[MOST], events));
    for (int i = 0; i < NUMBERS; i++) {
        const bool is_missing = said[i] == 0 && said[LEAST] != 0;
        if (is_right(said[i], right[i], events)) continue;
        check_fail(
            CHECK_WRONG_RESULT, check_text("lab00_benchmark gives a wrong %s of the %s's times", number[i].name, whose),
            .at = times_are_wrong && !is_missing ? place_near(measured->trace, measured->kernel[1 + WARM_UP], 1)
                                                 : check_at_name(check_text("%s in summarize", number[i].field)),
            .expected = events ? check_text("%s %s: %s", whose, number[i].name, check_bounds_text(right[i]))
                               : check_text("%s %s: %.6f ms to within %.6f ms, by a clock that this check puts forward",
                                            whose, number[i].name, middle(right[i]), half_width(right[i])),
            .found = check_text("%.6f ms", said[i]),
            .cause = fabs(said[MOST]) < 1e-9 && events
                         ? "no time was stored: lab_event_elapsed_time writes a float; the arrays hold double"
                     : said[MOST] == 0 && times_are_wrong ? "no time was stored, or *result is not set"
                     : said[i] < 0 && events ? "the two events are the wrong way round: the earlier one comes first"
                     : is_missing            ? "summarize does not fill it in yet"
                     : times_are_wrong       ? "least or most is wrong too: the stored times are not the measured ones"
                                             : number[i].cause);
    }
}

/* Work of random lengths, and a clock that is put forward by random times: seconds, so that a wrong number differs by
 * far more than the uncertainty of the readings. */
static lab00_arguments uneven_work(void)
{
    lab00_arguments arguments = {.warm_up = WARM_UP, .repeats = REPEATS};
    for (int c = 0; c < LAB00_LENGTHS; c++) arguments.more[c] = (int)(check_random_u64(0, (uint64_t)c) % 4);
    for (int r = 0; r < LAB00_LEADS; r++) arguments.lead[r] = 1e4 * (double)check_random_float(1, (uint64_t)r);
    return arguments;
}

static run run_benchmark(lab00_said *said, const lab00_arguments *arguments)
{
    run measured = call("lab00_benchmark", *arguments, said, sizeof *said);
    CHECK_THAT(measured.calls == WARM_UP + arguments->repeats && measured.readings == 2 * arguments->repeats,
               CHECK_RULE, "lab00_benchmark does not repeat as asked");
    return measured;
}

static void check_host_numbers(const lab00_arguments *arguments)
{
    lab00_said said;
    run measured = run_benchmark(&said, arguments);
    check_bounds times[REPEATS];
    double taken[REPEATS];
    for (int k = 0; k < arguments->repeats; k++) {
        const check_bounds read = between_readings(&measured, 2 * k);
        const lab_trace_op *work = measured.kernel[1 + WARM_UP + k];
        CHECK_THAT(measured.read[2 * k] < work && work < measured.clock[2 * k + 1], CHECK_RULE,
                   check_text("the clock is not read around repeat %d", k), .at = place_near(measured.trace, work, 1));
        check_only_enqueues(&measured, 2 * k, work, true, "lab00_benchmark");
        taken[k] = middle(read);
        times[k] = (check_bounds){read.low + arguments->lead[2 * k + 1], read.high + arguments->lead[2 * k + 1]};
    }
    if (arguments->repeats == REPEATS) check_timing("host, the call that enqueues", CHECK_YOURS, taken, REPEATS);
    compare(said.host, &measured, times, arguments->repeats, "host");
}

CHECK(host_numbers_are_the_calls, .points = 15, MEASURES_GIVEN_WORK, .measures = true,
      .title = "Task 4: the host's numbers are those of the calls",
      .hints = {
          "Task 4: what does the host do between the two readings of a repeat?",
          "It enqueues and nothing else: the waiting comes after the second reading. Median, mean and deviation are "
          "those of these times.",
          "The median of sorted times is (times[(count - 1) / 2] + times[count / 2]) / 2; the deviation is the root "
          "of the mean of (time - mean)^2, divided by count."})
{
    lab00_arguments arguments = uneven_work();
    check_host_numbers(&arguments);
    arguments.repeats--;
    check_host_numbers(&arguments);
}

CHECK(device_numbers_are_the_works, .points = 15, MEASURES_GIVEN_WORK, .measures = true,
      .title = "Task 4: the device's numbers are those of the work",
      .hints = {
          "Task 4: between which two moments of the stream does each device time lie?",
          "Events just before and just after the call, on the stream, in every repeat; the warm-ups do not count.",
          "lab_event_record(start, task->stream) before the first reading, lab_event_record(end, task->stream) after "
          "the second; after the wait, lab_event_elapsed_time into device[k]."})
{
    lab00_said said;
    const lab00_arguments arguments = uneven_work();
    run measured = run_benchmark(&said, &arguments);
    check_bounds times[REPEATS];
    double taken[REPEATS];
    for (int k = 0; k < REPEATS; k++) {
        times[k] = recorded_time(measured.trace, measured.kernel[1 + WARM_UP + k], "lab00_benchmark");
        taken[k] = middle(times[k]);
    }
    check_timing("device, the work", CHECK_YOURS, taken, REPEATS);
    compare(said.device, &measured, times, REPEATS, "device");
}

CHECK(events_are_given_back, .points = 5, MEASURES_GIVEN_WORK, .schedule = "adversarial",
      .title = "Events are released",
      .hints = {
          "An event that your function makes is still there when it returns.", "lab_event_destroy releases it.",
          "Two events in lab00_device_time, two in lab00_benchmark: made once, used in every repeat, destroyed once."})
{
    lab00_time single;
    lab00_said said;
    const run timed = call("lab00_device_time", (lab00_arguments){0}, &single, sizeof single);
    check_given_back(timed.first, "event", "lab00_device_time", NULL);
    const lab00_arguments arguments = uneven_work();
    const run repeated = run_benchmark(&said, &arguments);
    check_given_back(repeated.first, "event", "lab00_benchmark", NULL);
}

CHECK(failures_are_not_hidden, CHECK_OF_FAILURES, .points = 5,
      .after = "first_kernel_reaches_all, host_time_is_the_works, benchmark_repeats",
      .title = "A call that fails is not hidden",
      .hints = {[2] = "Put LAB_TRY around each call of the library, around task->enqueue(task->user), and around your "
                      "own functions that return a status."})
{
    const int count = check_draw(1, 2000);
    /* Launches of program.c are one place, of which the first, the middle and the last call fail. With so many warm-ups
     * and so few repeats the middle one is a warm-up, but not the last, and the last a repeat. Only in a second repeat
     * can the record of an event fail and nothing else: in the first there is no time between the events then. */
    const lab00_arguments given = {.steps = check_draw(1, 9), .warm_up = check_draw(4, 6), .repeats = 2};
    check_failing failing = {.function = "lab00_first_kernel",
                             CHECK_GIVEN(count),
                             .memory_bytes = sizeof(lab00_memory),
                             .any_failure = true};
    check_failures(&failing);
    failing.arguments = &given;
    failing.argument_bytes = sizeof given;
    failing.functions = CHECK_FUNCTIONS("lab00_wrong_time", "lab00_host_time", "lab00_device_time", "lab00_benchmark");
    check_failures(&failing);
}
