/* The checks of lab 01: sums of whole numbers, which are exact; the stream of each operation, from the record; the
 * current stream, from marks in the record. */
#include "check.h"
#include "shared.h"

#include <stdio.h>
#include <string.h>

CHECK_LAB("lab01", "Streams");

enum { SHOWN = 8192 }; /* numbers in the run whose timeline is shown */

/* ------------------------------------------------------------------------------------------------------
 * Sums
 */

/* The check's copy of the numbers of one sum, and what they add up to. */
typedef struct numbers {
    float *input;
    size_t count;
    float sum;
} numbers;

/* Fills the input with whole numbers from 0 to 999, whose sum is exact in any order. */
static numbers fill(check_program *program, int which, size_t count, uint64_t stream)
{
    lab01_memory *memory = check_memory(program);
    numbers made = {.input = check_alloc(count * sizeof *made.input), .count = count};
    for (size_t i = 0; i < count; i++) {
        made.input[i] = (float)(check_random_u64(stream, i) % 1000);
        made.sum += made.input[i];
    }
    memcpy(memory->input[which], made.input, count * sizeof *made.input);
    return made;
}

static void check_sum(check_program *program, int which, float expected, const char *function)
{
    float found;
    check_snapshot(program, &found, offsetof(lab01_memory, sum) + (size_t)which * sizeof(float), sizeof found);
    check_difference difference = {0};
    check_compare_floats(&difference, 0, &expected, &found, 1);
    if (difference.unwritten) check_cause("%s returned and sum%s was never written", function, which ? "[1]" : "");
    check_equal(&difference, "%s gives a wrong sum", function);
}

/* The sums, which are right, must be what the device's own operations made of these numbers. */
static void check_way_of(check_program *program, const lab_trace *trace, const numbers *given, int sums,
                         const char *function)
{
    check_passage passage[2];
    for (int k = 0; k < sums; k++)
        passage[k] = (check_passage){.what = sums > 1 ? k ? "sum[1]" : "sum[0]" : NULL,
                                     .output = {&given[k].sum, sizeof given[k].sum},
                                     .input = {{given[k].input, given[k].count * sizeof *given[k].input}}};
    check_flow(program, trace, &(check_way){.function = function, .passage = passage, .passages = (size_t)sums});
}

/* A record of one call, whose sums are right, and came from the numbers by way of the device. */
static const lab_trace *record_sums(check_program *program, const char *function, const size_t *count, int sums,
                                    uint64_t stream)
{
    lab01_counts counts = {.count = {count[0], sums > 1 ? count[1] : 0}};
    numbers given[2];
    check_trace_begin(program);
    for (int k = 0; k < sums; k++) given[k] = fill(program, k, count[k], stream + (uint64_t)k);
    check_poison(program, offsetof(lab01_memory, sum), (size_t)sums * sizeof(float));
    check_call(program, function, &counts, sizeof counts, NULL, 0);
    for (int k = 0; k < sums; k++) check_sum(program, k, given[k].sum, function);
    const lab_trace *trace = check_trace(program);
    check_way_of(program, trace, given, sums, function);
    return trace;
}

static const lab_trace *record_sum(check_program *program, size_t count, uint64_t stream)
{
    return record_sums(program, "lab01_sum", &count, 1, stream);
}

static const lab_trace *record_two_sums(check_program *program, size_t first, size_t second, uint64_t stream)
{
    return record_sums(program, "lab01_two_sums", (const size_t[]){first, second}, 2, stream);
}

/* ------------------------------------------------------------------------------------------------------
 * What the record shows
 */

static bool is_work(const lab_trace_op *op)
{
    return op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH || op->kind == LAB_OP_KERNEL;
}

static bool is_null_stream(const lab_trace *trace, uint64_t id)
{
    for (size_t i = 0; i < trace->streams; i++)
        if (trace->stream[i].id == id) return trace->stream[i].null_stream;
    return true;
}

/* Whether nothing waits for some copy back before the function returns. Sets the location to the first such copy. */
static bool has_unwaited(const lab_trace *trace, const char *function)
{
    char mark[64];
    snprintf(mark, sizeof mark, "%s returned", function);
    const uint64_t returned = check_mark(trace, mark)->id;
    lab_relations *relations;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    const lab_trace_op *found = NULL;
    for (size_t i = 0; i < trace->ops && !found; i++) {
        if (trace->op[i].kind != LAB_OP_COPY_DTOH) continue;
        const lab_trace_op *wait = lab_relations_waited_by(relations, trace->op[i].id);
        if (!wait || wait->id > returned) found = &trace->op[i];
    }
    lab_relations_free(relations);
    if (found) check_locate(found);
    return found;
}

/* The function must have waited for the copy back of each sum. */
static void check_waits(const lab_trace *trace, int sums, const char *function)
{
    int copies = check_count_ops(trace, LAB_OP_COPY_DTOH);
    if (has_unwaited(trace, function)) {
        check_cause("this copy is enqueued, and nothing waits for its stream: call lab_stream_synchronize with that "
                    "stream before the function returns");
        check_fail(CHECK_RACE_SUSPECTED, "%s returns while the copy of a sum may still run", function);
    }
    CHECK_THAT(copies >= sums, CHECK_RULE, "%s copied %d sum%s back, %d expected", function, copies,
               copies == 1 ? "" : "s", sums);
    check_nothing_outstanding(trace, function);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

CHECK(sum_is_right, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the sum is right, at every size and each time",
      .hints = {
          "Task 1 is in enqueue_sum and lab01_sum: what has to happen before the device can add, and after it?",
          "Three calls, in this order: lab_array_set_async, lab_array_sum, lab_array_get_async. lab.h shows their "
          "arguments under Arrays.",
          "enqueue_sum: set room->numbers from input, sum it into room->total, get room->total into sum, all on "
          "`stream`. lab01_sum: create a stream, enqueue_sum, lab_stream_synchronize, destroy."})
{
    static const size_t sizes[] = {1, 2, 31, 1000, LAB01_MOST};
    check_program *program = check_start(sizeof(lab01_memory));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) record_sum(program, sizes[i], i);
}

CHECK(sum_on_its_own_stream, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: copies and sum run on a stream of your own",
      .hints = {"Which stream does each call name? NULL means the current one, and that is the null stream here.",
                "Make a stream with lab_stream_create and give it to every call.",
                "lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING), then enqueue_sum(sum, input, room, stream); in "
                "enqueue_sum all three calls take `stream`."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    const lab_trace *trace = record_sum(program, 1000, 0);
    uint64_t stream = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (!is_work(op)) continue;
        check_locate(op);
        check_cause("the call names no stream, or NULL, which means the current one; lab_array_set and lab_array_get "
                    "always use the null stream");
        if (!stream) stream = op->stream;
        CHECK_THAT(!is_null_stream(trace, op->stream), CHECK_RULE, "lab01_sum runs a %s on the null stream",
                   lab_op_kind_name(op->kind));
        check_cause("%s", "");
        CHECK_THAT(op->stream == stream, CHECK_RULE, "lab01_sum uses more than one stream");
    }
    if (!stream) check_cause("enqueue_sum is not written yet, or lab01_sum does not call it");
    CHECK_THAT(stream != 0, CHECK_RULE, "lab01_sum enqueued nothing on the device");
}

CHECK(sum_is_waited_for, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the sum is there when the function returns",
      .hints = {"What has happened when lab_array_get_async returns?",
                "The calls only enqueue. Before *sum may be read, the stream must be waited for.",
                "lab_stream_synchronize(stream), after everything is enqueued and before the stream is destroyed: "
                "destroying does not wait."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_waits(record_sum(program, 1000, 0), 1, "lab01_sum");
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

/* What the record shows of a call: the streams, by number, and the current stream at each moment. */
typedef struct currents {
    uint64_t before, after;
    uint64_t given[2];
    uint64_t in_step[LAB01_STEPS]; /* 0 if the step was not called */
    int calls;                     /* steps that were called */
    int returned;                  /* the status */
} currents;

static void take_mark(currents *seen, const lab_trace_op *mark)
{
    int number;
    if (sscanf(mark->name, LAB01_AFTER_MARK, &number) == 1) {
        seen->after = mark->stream;
        seen->returned = number;
    }
    if (sscanf(mark->name, LAB01_STEP_MARK, &number) != 1) return;
    seen->calls++;
    if (number >= 1 && number <= LAB01_STEPS) seen->in_step[number - 1] = mark->stream;
}

static currents watch(const char *function, lab01_failure failure)
{
    check_program *program = check_start(0);
    check_trace_begin(program);
    check_call(program, function, &failure, sizeof failure, NULL, 0);
    const lab_trace *trace = check_trace(program);
    currents seen = {
        .before = check_mark(trace, LAB01_BEFORE_MARK)->stream,
        .given = {check_mark(trace, LAB01_FIRST_MARK)->stream, check_mark(trace, LAB01_SECOND_MARK)->stream}};
    const bool distinct =
        seen.before != seen.given[0] && seen.before != seen.given[1] && seen.given[0] != seen.given[1];
    CHECK_THAT(distinct, CHECK_RULE, "%s did not get its streams", function);
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_MARK) take_mark(&seen, &trace->op[i]);
    return seen;
}

/* A step that fails, with a status that only the step says. */
static lab01_failure fail_in(int step)
{
    static const lab_status statuses[] = {LAB_ERROR_NOT_READY, LAB_ERROR_IO, LAB_ERROR_NOT_FOUND, LAB_ERROR_UNKNOWN};
    return (lab01_failure){step, (int)statuses[check_random_u64(0, (uint64_t)step) % 4]};
}

/* The name of a stream in the words of the task. */
static const char *stream_name(const currents *seen, uint64_t id)
{
    if (id == seen->given[0]) return "the first stream";
    if (id == seen->given[1]) return "the second stream";
    if (id == seen->before) return "the stream from before";
    return id == 0 ? "none" : "another stream";
}

static void check_step(const currents *seen, int number, int given, const char *function)
{
    uint64_t found = seen->in_step[number - 1];
    check_expected("in step %d: %s", number, stream_name(seen, seen->given[given]));
    check_found("in step %d: %s", number, found ? stream_name(seen, found) : "the step was not called");
    if (!seen->calls) check_cause("%s is not written yet", function);
    CHECK_THAT(found == seen->given[given], CHECK_WRONG_RESULT, "%s does not have the right stream current", function);
}

static void check_after(const currents *seen, const char *function, const char *cause)
{
    check_expected("afterwards: the stream from before");
    check_found("afterwards: %s", stream_name(seen, seen->after));
    check_cause("%s", cause);
    CHECK_THAT(seen->after == seen->before, CHECK_RULE, "%s leaves another stream current than it found", function);
}

CHECK(scopes_nest, .points = 10, .title = "Task 2: scopes nest, and end where they began",
      .hints = {"Task 2 is in lab01_nested: which stream must be current in each of the three steps?",
                "LAB_WITH_STREAM(s) { ... } makes s current inside its braces. One scope stands inside the other.",
                "LAB_WITH_STREAM(first) { step 1; LAB_WITH_STREAM(second) { step 2; } step 3; }, where a step is "
                "LAB_TRY(step.call(step.user, 1))."})
{
    currents seen = watch("lab01_nested", (lab01_failure){0});
    check_step(&seen, 1, 0, "lab01_nested");
    check_step(&seen, 2, 1, "lab01_nested");
    check_step(&seen, 3, 0, "lab01_nested");
    CHECK_THAT(seen.calls == 3, CHECK_WRONG_RESULT, "lab01_nested calls %d steps; 3 are asked for", seen.calls);
    CHECK_THAT(seen.returned == LAB_SUCCESS, CHECK_WRONG_RESULT, "lab01_nested fails although no step does");
    check_after(&seen, "lab01_nested", "a stream was made current and not taken back");
}

CHECK(early_return_goes_back, .points = 5, .title = "Task 2: a step that fails ends it, with the stream restored",
      .hints = {"What does your function do when step 2 returns an error?",
                "LAB_TRY returns at once. What is between it and the end of the function does not run; a scope ends "
                "all the same.",
                "Use LAB_WITH_STREAM for both, and LAB_TRY(step.call(...)) inside: the scope restores the stream when "
                "it is left by return."})
{
    for (int fails = 1; fails <= 3; fails++) {
        const lab01_failure failure = fail_in(fails);
        currents seen = watch("lab01_nested", failure);
        check_expected("%d step%s called, then status %d returned", fails, fails == 1 ? "" : "s", failure.status);
        check_found("%d called, status %d returned", seen.calls, seen.returned);
        CHECK_THAT(seen.calls == fails && seen.returned == failure.status, CHECK_WRONG_RESULT,
                   "lab01_nested goes on after step %d failed, or hides it", fails);
        check_after(&seen, "lab01_nested",
                    "it returns early with a stream current that it made current: leave that to LAB_WITH_STREAM");
    }
}

CHECK(use_goes_back, .points = 10, .title = "Task 2: lab_stream_use, and back to what was current before",
      .hints = {"lab01_use: which stream is current when your function returns?",
                "lab_stream_use holds until the next one. Note lab_stream_current() first, and use that at the end.",
                "before = lab_stream_current(); use stream; status = step 1, without LAB_TRY; use before; return "
                "status."})
{
    for (int fails = 0; fails <= 1; fails++) {
        const lab01_failure failure = fails ? fail_in(1) : (lab01_failure){0};
        currents seen = watch("lab01_use", failure);
        check_step(&seen, 1, 0, "lab01_use");
        CHECK_THAT(seen.returned == failure.status, CHECK_WRONG_RESULT, "lab01_use does not return the step's status");
        check_after(&seen, "lab01_use",
                    fails ? "the step failed, and the function returned before it went back"
                          : "the stream that was current before is not used again; it need not be the null stream");
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3
 */

CHECK(two_sums_can_overlap, .points = 10, .title = "Task 3: two sums, right, on two streams, able to overlap",
      .hints = {"Task 3 is in lab01_two_sums: what must not happen between the two sums?",
                "Two streams, and everything enqueued before the host waits for anything.",
                "Four short loops over k: create stream[k]; enqueue_sum(&sum[k], input[k], &room[k], stream[k]); "
                "synchronize; destroy."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_call(program, "warm_up", NULL, 0, NULL, 0);
    const lab_trace *trace = record_two_sums(program, SHOWN, SHOWN + 1, 0);
    check_artifact_trace(trace, "lab01_two_sums");
    uint64_t streams[2] = {0, 0}, last = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (!is_work(op)) continue;
        last = op->id;
        if (streams[0] == 0) streams[0] = op->stream;
        if (op->stream != streams[0]) streams[1] = op->stream;
    }
    check_expected("two streams of your own");
    check_found("%s", streams[1] ? "two streams" : "one stream");
    CHECK_THAT(streams[1] && !is_null_stream(trace, streams[0]) && !is_null_stream(trace, streams[1]), CHECK_RULE,
               "lab01_two_sums does not run each sum on a stream of its own");
    bool begun = false;
    for (size_t i = 0; i < trace->ops && trace->op[i].id < last; i++) {
        const lab_trace_op *op = &trace->op[i];
        begun = begun || is_work(op);
        if (!begun || !op->host_waits) continue;
        check_locate(op);
        check_expected("everything enqueued, then the host waits");
        check_found("a wait (%s) in between", lab_op_kind_name(op->kind));
        check_cause(
            "the host waits here for one sum before it has enqueued the other, so they run one after the other");
        check_fail(CHECK_RULE, "lab01_two_sums cannot overlap its two sums");
    }
}

CHECK(two_sums_are_waited_for, .points = 5, .schedule = "fifo", .any_order = true,
      .title = "Task 3: both sums are there when the function returns",
      .hints = {"Which of the two streams does your function wait for?", "Each stream is waited for by itself.",
                "lab_stream_synchronize(stream[k]) for k = 0 and 1, after both sums are enqueued."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_waits(record_two_sums(program, 100, LAB01_MOST, 0), 2, "lab01_two_sums");
}

/* Checks one call under the check's schedule: the sums, the waits for them, and the order of the work. */
static void check_in_any_order(const char *function, int sums, uint64_t stream)
{
    static const size_t sizes[2] = {3000, 4500};
    check_program *program = check_start(sizeof(lab01_memory));
    lab01_counts counts = {{sizes[0], sizes[1]}, .pinned = true};
    numbers given[2];
    float found[2];
    check_trace_begin(program);
    for (int k = 0; k < sums; k++) given[k] = fill(program, k, sizes[k], stream + (uint64_t)k);
    check_poison(program, offsetof(lab01_memory, sum), sizeof found);
    check_call(program, function, &counts, sizeof counts, NULL, 0);
    check_snapshot(program, found, offsetof(lab01_memory, sum), sizeof found);
    const char *unordered = check_unordered(program);
    const lab_trace *trace = check_trace(program);
    if (has_unwaited(trace, function))
        check_cause("nothing waits for this copy before %s returns; if the sum was right at other times, that was luck",
                    function);
    else if (unordered)
        check_cause("%s", unordered);
    check_difference difference = {.array = "sum"};
    for (int k = 0; k < sums; k++) check_compare_floats(&difference, (size_t)k, &given[k].sum, &found[k], 1);
    check_equal(&difference, "%s is wrong in an order of its work that CUDA's rules allow", function);
    check_waits(trace, sums, function);
    CHECK_THAT(!unordered, CHECK_RACE_SUSPECTED, "nothing orders what must be ordered in %s", function);
    check_way_of(program, trace, given, sums, function);
}

CHECK(sums_are_right_in_any_order, .points = 10, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Tasks 1 and 3: the sums are right in every order that the rules allow",
      .hints = {"Here the device starts nothing before it must. What in your function makes it do the work before the "
                "function returns?",
                "Only a wait for the very stream that has the work: waiting for another one, or destroying a stream, "
                "makes nothing happen.",
                "lab_stream_synchronize(stream) with the stream that enqueue_sum was given, after the last copy; in "
                "lab01_two_sums for both. All three calls of a sum name that one stream."})
{
    check_in_any_order("lab01_sum", 1, 0);
    check_in_any_order("lab01_two_sums", 2, 1);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 4
 */

enum { LAB01_PAIRS = 16 };
static const char *const stream_names[] = {"null", "blocking", "other blocking", "non-blocking"};

/* The two fills of one pair: the kernels between its mark and the next. */
static void find_pair(const lab_trace *trace, int earlier, int later, const lab_trace_op *found[2])
{
    char name[32];
    int count = 0;
    snprintf(name, sizeof name, LAB01_PAIR_MARK, earlier, later);
    bool inside = false;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind == LAB_OP_MARK) inside = strcmp(op->name, name) == 0;
        if (!inside || (op->kind != LAB_OP_KERNEL && op->kind != LAB_OP_FILL)) continue;
        check_locate(op);
        if (count < 2) found[count] = op;
        count++;
    }
    if (!count) check_cause("lab01_pair is not written yet");
    CHECK_THAT(count == 2, CHECK_RULE, "lab01_pair must enqueue two fills, not %d", count);
}

/* Whether a stream of the record is the one of the experiment with this number. */
static bool is_of_kind(const lab_trace *trace, uint64_t id, int number)
{
    for (size_t i = 0; i < trace->streams; i++) {
        const lab_trace_stream *stream = &trace->stream[i];
        if (stream->id != id || stream->context != trace->stream[0].context) continue;
        return stream->null_stream == (number == 0) && stream->non_blocking == (number == 3);
    }
    return false;
}

/* Each fill must be on its stream: with both on one stream the later one always waits. */
static void check_streams(const lab_trace *trace, const lab_trace_op *const pair[LAB01_PAIRS][2])
{
    for (int i = 0; i < LAB01_PAIRS; i++) {
        for (int k = 0; k < 2; k++) {
            const int number = k == 0 ? i / 4 : i % 4;
            const uint64_t stream = pair[i][k]->stream;
            check_locate(pair[i][k]);
            CHECK_THAT(is_of_kind(trace, stream, number) && stream == pair[5 * number][0]->stream, CHECK_RULE,
                       "lab01_pair does not put its %s fill on the stream `%s`", k == 0 ? "first" : "second",
                       k == 0 ? "earlier" : "later");
        }
    }
    CHECK_THAT(pair[5][0]->stream != pair[10][0]->stream, CHECK_RULE, "lab01_pair uses one blocking stream for two");
}

/* lab01_pair must not wait between the two fills. With a wait the later fill follows the earlier one on any streams. */
static void check_pair_does_not_wait(const lab_trace *trace, const lab_trace_op *const pair[2])
{
    const lab_trace_op *wait = lab_trace_host_wait_between(trace, pair[0]->id, pair[1]->id);
    if (!wait) return;
    check_locate(wait);
    check_cause("the host waits between the two fills, so that the later one waits for the earlier on all streams");
    check_fail(CHECK_RULE, "lab01_pair waits (%s); it must only enqueue", lab_op_kind_name(wait->kind));
}

CHECK(waiting_is_predicted, .points = 15, .title = "Task 4: who waits for whom, as recorded",
      .hints = {
          "Task 4: read the two rules of the null stream again; which streams take part in them?",
          "The null stream and blocking streams wait for each other, both ways. Two blocking streams are just two "
          "streams.",
          "A row is the earlier stream. The null stream's row is true for itself and both blocking streams; a "
          "blocking stream's row for the null stream and itself; the non-blocking one's for itself alone."})
{
    check_program *program = check_start(0);
    unsigned char predicted[LAB01_PAIRS];
    check_trace_begin(program);
    check_call(program, "lab01_pair", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    const lab_trace_op *pair[LAB01_PAIRS][2];
    for (int i = 0; i < LAB01_PAIRS; i++) {
        find_pair(trace, i / 4, i % 4, pair[i]);
        check_pair_does_not_wait(trace, pair[i]);
    }
    check_streams(trace, pair);
    check_table(predicted, sizeof predicted, "lab01_waits");
    lab_relations *relations;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    int wrong = 0, shown[2] = {0, 0};
    bool recorded = false;
    for (int i = LAB01_PAIRS - 1; i >= 0; i--) {
        bool is = lab_relations_before(relations, pair[i][0]->id, pair[i][1]->id);
        if (is == (predicted[i] != 0)) continue;
        wrong++;
        shown[0] = i / 4;
        shown[1] = i % 4;
        recorded = is;
    }
    lab_relations_free(relations);
    check_expected("work on the %s stream %s for earlier work on the %s stream", stream_names[shown[1]],
                   recorded ? "waits" : "does not wait", stream_names[shown[0]]);
    check_found("lab01_waits says %s", recorded ? "false" : "true");
    CHECK_THAT(wrong == 0, CHECK_WRONG_RESULT, "%d of 16 predictions differ from what the device does", wrong);
}

/* ------------------------------------------------------------------------------------------------------
 * At the end
 */

CHECK(streams_are_given_back, .points = 5, .schedule = "fifo", .any_order = true, .title = "Streams are given back",
      .hints = {"A stream that your function makes is still there when it returns.",
                "lab_stream_destroy gives a stream back; it does not wait for its work.",
                "After the synchronize: lab_stream_destroy(stream) in lab01_sum, both streams in lab01_two_sums."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_given_back(record_sum(program, 100, 0), "stream");
    check_given_back(record_two_sums(program, 100, 200, 1), "stream");
}
