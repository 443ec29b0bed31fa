/* The checks of lab 01: sums of whole numbers, which are exact; streams and current streams, from the record. */
#include "checks_current.h"
#include "find.h"

#include <stdio.h>
#include <string.h>

CHECK_LAB("lab01", "Streams");

enum { SHOWN = 8192 }; /* numbers in the run whose timeline is shown */

/* ---- What the record shows --------------------------------------------------------------------------------------- */

static bool is_work(const lab_trace_op *op)
{
    return op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_COPY_DTOH || op->kind == LAB_OP_KERNEL;
}

/* The room whose numbers or total an operation uses; -1 for none. */
static int room_of(const lab_trace *trace, const lab_trace_op *op)
{
    for (int block = 0; block < 4; block++)
        if (check_uses_block(op, check_pool_block(trace, block))) return block / 2;
    return -1;
}

/* The one stream of a function's work, or of its work in one room, which the function must have made. 0 without
 * work. */
static uint64_t own_stream(const lab_trace *trace, const char *function, int room)
{
    uint64_t stream = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (!is_work(op) || (room >= 0 && room_of(trace, op) != room)) continue;
        CHECK_THAT(
            !check_stream(trace, op->stream)->null_stream, CHECK_RULE,
            check_text("%s runs a %s on the null stream", function, lab_op_kind_name(op->kind)), .at = check_at(op),
            .expected = check_text("copy in, sum and copy out on one stream that %s makes", function),
            .found = check_text("a %s on %s", lab_op_kind_name(op->kind),
                                check_stream(trace, op->stream)->null_stream ? "the null stream"
                                : stream                                     ? "another stream than the work before"
                                                                             : "a stream that it did not make"),
            .cause = "the call names no stream, or NULL, which means the current one; lab_array_set and lab_array_get "
                     "always use the null stream");
        CHECK_THAT(check_find(trace, (check_sought){LAB_OP_STREAM_CREATE, .stream = op->stream}), CHECK_RULE,
                   check_text("%s uses a stream that is not its own", function), .at = check_at(op),
                   .cause = "the stream of this call is a stream that was there before; lab_stream_create makes one");
        if (!stream) stream = op->stream;
        CHECK_THAT(op->stream == stream, CHECK_RULE, check_text("%s uses more than one stream for a sum", function),
                   .at = check_at(op),
                   .cause = "this call names another stream than the calls of the same sum before it");
    }
    return stream;
}

static size_t copied_in(const lab_trace *trace, const lab_trace_op *block)
{
    size_t bytes = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_COPY_HTOD && check_uses_block(op, block)) bytes += op->bytes;
    return bytes;
}

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

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

/* Why a sum is wrong, as far as the record shows it, and where. */
static check_finding explain_sum(const lab_trace *trace, int room, size_t count)
{
    const lab_trace_op *from = check_pool_block(trace, 2 * room), *to = check_pool_block(trace, 2 * room + 1);
    const lab_trace_op *in = check_find(trace, (check_sought){LAB_OP_COPY_HTOD, .block = from}),
                       *sum = check_find_last(trace, (check_sought){LAB_OP_KERNEL, .block = to}),
                       *out = check_find(trace, (check_sought){LAB_OP_COPY_DTOH, .block = to});
    if (!sum) sum = check_find_last(trace, (check_sought){LAB_OP_KERNEL, .block = from});
    check_finding why = {.at = check_at(sum ? sum : in ? in : out)};
    if (!in && !sum && !out)
        why.cause = "nothing is enqueued: enqueue_sum is not written yet, or it is not called";
    else if (!in)
        why.cause = "nothing is copied into room->numbers: lab_array_set_async does that";
    else if (!sum)
        why.cause = "nothing adds room->numbers up into room->total: lab_array_sum does that";
    else if (!out)
        why.cause = "nothing copies room->total to the host: lab_array_get_async does that";
    else if (in->id > sum->id)
        why.cause = "the sum is enqueued before the numbers are copied in";
    else if (out->id < sum->id)
        why.cause = "the copy out is enqueued before the sum";
    else if (copied_in(trace, from) < count * sizeof(float))
        why = (check_finding){.at = check_at(in),
                              .cause = check_text("%zu bytes are copied in, and %zu floats have %zu",
                                                  copied_in(trace, from), count, count * sizeof(float))};
    else if (strcmp(sum->name, "array_sum") != 0)
        why.cause = check_text("%s is another operation than lab_array_sum", sum->name);
    return why;
}

static void check_sum(check_program *program, const lab_trace *trace, int which, const numbers *given,
                      const char *function)
{
    float found;
    check_snapshot(program, &found, offsetof(lab01_memory, sum) + (size_t)which * sizeof(float), sizeof found);
    check_difference difference = {0};
    check_compare_floats(&difference, 0, &given->sum, &found, 1);
    if (!difference.count) return;
    const check_finding why = explain_sum(trace, which, given->count);
    const char *unwritten = difference.unwritten
                                ? check_text("%s returned and sum%s was never written", function, which ? "[1]" : "")
                                : NULL;
    check_equal(&difference, check_text("%s gives a wrong sum", function), .at = why.at,
                .cause = why.cause ? why.cause : unwritten);
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
    const lab_trace *trace = check_trace(program);
    for (int k = 0; k < sums; k++) check_sum(program, trace, k, &given[k], function);
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

/* ---- Waits ------------------------------------------------------------------------------------------------------- */

/* The function must have waited for the copy back of each sum. */
static void check_waits(const lab_trace *trace, int sums, const char *function)
{
    const int copies = check_count_ops(trace, LAB_OP_COPY_DTOH);
    const lab_trace_op *returned = check_mark(trace, check_text("%s returned", function));
    check_waits_for_all(trace, (check_span){.begins = trace->op, .ends = returned, .function = function});
    CHECK_THAT(copies >= sums, CHECK_RULE,
               check_text("%s copied %d sum%s back, %d expected", function, copies, copies == 1 ? "" : "s", sums));
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

CHECK(sum_is_right, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the sum is right, at every size and each time",
      .hints = {
          "Task 1 is in enqueue_sum and lab01_sum: what has to happen before the device can add, and after it?",
          "Three calls, in this order: lab_array_set_async, lab_array_sum, lab_array_get_async. lab.h shows their "
          "arguments under Arrays.",
          "enqueue_sum: set room->numbers from input, sum it into room->total, get room->total into sum, all on "
          "`stream`. lab01_sum: create a stream, enqueue_sum, lab_stream_synchronize, destroy."})
{
    const size_t sizes[] = {1, 2, 31, (size_t)check_draw(500, 1500), LAB01_MOST};
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
    const uint64_t stream = own_stream(record_sum(program, 1000, 0), "lab01_sum", -1);
    CHECK_THAT(stream != 0, CHECK_RULE, "lab01_sum enqueued nothing on the device",
               .cause = "enqueue_sum is not written yet, or lab01_sum does not call it");
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

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

/* Statuses that only a step gives, each for one call in which it fails. */
static const lab_status statuses[] = {LAB_ERROR_IO, LAB_ERROR_NOT_FOUND, LAB_ERROR_NOT_READY, LAB_ERROR_UNKNOWN};
enum { STATUSES = sizeof statuses / sizeof *statuses };

/* The steps are given; the task is which stream is current in them, as the record has it. */
#define ONLY_CURRENT .without_flow = "nothing is computed: the task is which stream is current in given steps"

CHECK(scopes_nest, .points = 10, ONLY_CURRENT, .title = "Task 2: scopes nest, and end where they began",
      .hints = {"Task 2 is in lab01_nested: which stream must be current in each of the three steps?",
                "LAB_WITH_STREAM(s) { ... } makes s current inside its braces. One scope stands inside the other.",
                "LAB_WITH_STREAM(first) { step 1; LAB_WITH_STREAM(second) { step 2; } step 3; }, where a step is "
                "LAB_TRY(step.call(step.user, 1))."})
{
    check_program *program = check_start(0);
    for (int again = 0; again <= 1; again++) {
        currents seen = watch(program, "lab01_nested", (lab01_failure){0});
        check_steps(&seen, LAB01_STEPS, false, "lab01_nested");
        check_returned(&seen, (lab01_failure){0}, "lab01_nested", NULL);
        check_after(&seen, "lab01_nested", "a stream was made current and not taken back");
        check_manner(&seen, true, "lab01_nested");
    }
}

CHECK(early_return_goes_back, .points = 5, ONLY_CURRENT,
      .title = "Task 2: a step that fails ends it, with the stream restored",
      .hints = {"What does your function do when step 2 returns an error?",
                "LAB_TRY returns at once. What is between it and the end of the function does not run; a scope ends "
                "all the same.",
                "Use LAB_WITH_STREAM for both, and LAB_TRY(step.call(...)) inside: the scope restores the stream when "
                "it is left by return."})
{
    check_program *program = check_start(0);
    for (int k = 0; k < STATUSES * LAB01_STEPS; k++) {
        const lab01_failure failure = {1 + k % LAB01_STEPS, (int)statuses[k % STATUSES]};
        currents seen = watch(program, "lab01_nested", failure);
        check_steps(&seen, failure.step, true, "lab01_nested");
        check_returned(&seen, failure, "lab01_nested", NULL);
        check_after(&seen, "lab01_nested",
                    "it returns early with a stream current that it made current: leave that to LAB_WITH_STREAM");
    }
}

CHECK(use_goes_back, .points = 10, ONLY_CURRENT, .title = "Task 2: lab_stream_use, and back to what was current before",
      .hints = {"lab01_use: which stream is current when your function returns?",
                "lab_stream_use holds until the next one. Note lab_stream_current() first, and use that at the end.",
                "before = lab_stream_current(); use stream; status = step 1, without LAB_TRY; use before; return "
                "status."})
{
    check_program *program = check_start(0);
    for (int k = -1; k < STATUSES; k++) {
        const lab01_failure failure = k < 0 ? (lab01_failure){0} : (lab01_failure){1, (int)statuses[k]};
        currents seen = watch(program, "lab01_use", failure);
        check_steps(&seen, 1, failure.step, "lab01_use");
        check_returned(&seen, failure, "lab01_use",
                       failure.step ? "the function returns something else than the step's status" : NULL);
        check_after(&seen, "lab01_use",
                    failure.step
                        ? "the step failed, and the function returned before it went back"
                        : "the stream that was current before is not used again; it need not be the null stream");
        check_manner(&seen, false, "lab01_use");
    }
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* What makes the later of two operations, of different sums, wait for the earlier one, and where. */
static check_finding explain_order(const lab_trace *trace, const lab_trace_op *first, const lab_trace_op *second)
{
    const lab_trace_op *wait = lab_trace_host_wait_between(trace, first->id, second->id), *event = NULL;
    if (wait)
        return (check_finding){.at = check_at(wait),
                               .expected = "everything enqueued, then the host waits",
                               .found = check_text("a wait (%s) in between", lab_op_kind_name(wait->kind)),
                               .cause = "the host waits here for one sum before it has enqueued the other, so they run "
                                        "one after the other"};
    for (size_t i = first->id; i < second->id; i++)
        if (trace->op[i].kind == LAB_OP_EVENT_WAIT && trace->op[i].stream == second->stream) event = &trace->op[i];
    return (check_finding){
        .at = check_at(event ? event : second),
        .expected = "nothing that orders the work of the two sums",
        .found = check_text("a %s of one that waits for a %s of the other", lab_op_kind_name(second->kind),
                            lab_op_kind_name(first->kind)),
        .cause = event ? "this makes one sum wait for an event of the other, though it needs nothing of the other"
                 : first->stream == second->stream
                     ? "both sums are on one stream, which runs them one after the other"
                     : "something on the null stream, between the two, waits for the one and holds the other back"};
}

/* Fails the check if anything orders work of one sum before work of the other. */
static void check_may_overlap(const lab_trace *trace)
{
    const lab_trace_op *first = NULL, *second = NULL;
    lab_relations *relations = check_relations(trace);
    for (size_t i = 0; i < trace->ops && !second; i++) {
        for (size_t k = i; k-- > 0 && !second;) {
            const lab_trace_op *op = &trace->op[i], *earlier = &trace->op[k];
            if (!is_work(op) || !is_work(earlier) || room_of(trace, op) + room_of(trace, earlier) != 1) continue;
            if (lab_relations_may_overlap(relations, earlier->id, op->id)) continue;
            first = earlier;
            second = op;
        }
    }
    if (!second) return;
    const check_finding why = explain_order(trace, first, second);
    check_fail(CHECK_RULE, "lab01_two_sums cannot overlap its two sums", .at = why.at, .expected = why.expected,
               .found = why.found, .cause = why.cause);
}

/* Whether one thread had waited for its sum before another enqueued any of the other sum. A record shows no other
 * order of threads, so this may be chance. */
static bool is_serial(const lab_trace *trace)
{
    uint64_t first[2] = {0, 0}, last[2] = {0, 0};
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const int room = is_work(op) ? room_of(trace, op) : -1;
        if (room < 0) continue;
        if (!first[room]) first[room] = op->id;
        last[room] = op->id;
    }
    const int earlier = first[0] < first[1] ? 0 : 1;
    return last[earlier] < first[!earlier] && lab_trace_host_wait_between(trace, last[earlier], first[!earlier]);
}

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
    uint64_t stream[2];
    for (int k = 0; k < 2; k++) {
        stream[k] = own_stream(trace, "lab01_two_sums", k);
        CHECK_THAT(stream[k] != 0, CHECK_RULE, check_text("lab01_two_sums does not use the arrays of room[%d]", k),
                   .expected = check_text("sum[%d] made in room[%d]", k, k),
                   .found = check_text("no work in room[%d]", k));
    }
    CHECK_THAT(stream[0] != stream[1], CHECK_RULE, "lab01_two_sums does not run each sum on a stream of its own",
               .at = check_at(check_find(trace, (check_sought){LAB_OP_COPY_DTOH, .block = check_pool_block(trace, 3)})),
               .expected = "two streams of your own", .found = "one stream");
    /* Whether a query is ready at once is luck there. */
    program = check_start_unkind(sizeof(lab01_memory));
    trace = record_two_sums(program, SHOWN, SHOWN + 1, 0);
    check_may_overlap(trace);
    enum { TRIES = 8 };
    for (int k = 1; k < TRIES && is_serial(trace); k++) trace = record_two_sums(program, SHOWN, SHOWN + 1, 0);
    CHECK_THAT(!is_serial(trace), CHECK_RULE, "lab01_two_sums cannot overlap its two sums",
               .expected = "everything enqueued, then the host waits",
               .found = "all of one sum, with the wait for it, before the other",
               .cause = "one thread waits for its sum before the other thread enqueues the first of its work");
}

CHECK(two_sums_are_waited_for, .points = 5, .schedule = "fifo", .any_order = true,
      .title = "Task 3: both sums are there when the function returns",
      .hints = {"Which of the two streams does your function wait for?", "Each stream is waited for by itself.",
                "lab_stream_synchronize(stream[k]) for k = 0 and 1, after both sums are enqueued."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_waits(record_two_sums(program, 100, LAB01_MOST, 0), 2, "lab01_two_sums");
    check_waits(record_two_sums(program, 33, 2, 2), 2, "lab01_two_sums"); /* not those of the call before */
}

/* Checks one call under the check's schedule: the sums, the waits for them, and the order of the work. */
static void check_in_any_order(const char *function, int sums, uint64_t stream)
{
    const size_t sizes[2] = {(size_t)check_draw(2500, 3500), (size_t)check_draw(4000, 5000)};
    check_program *program = check_start(sizeof(lab01_memory));
    lab01_counts counts = {{sizes[0], sizes[1]}, .pinned = true};
    numbers given[2];
    float found[2];
    check_trace_begin(program);
    for (int k = 0; k < sums; k++) given[k] = fill(program, k, sizes[k], stream + (uint64_t)k);
    check_poison(program, offsetof(lab01_memory, sum), sizeof found);
    check_call(program, function, &counts, sizeof counts, NULL, 0);
    check_snapshot(program, found, offsetof(lab01_memory, sum), sizeof found);
    const lab_trace *trace = check_trace(program);
    check_ordered(program, function, check_at(NULL));
    check_waits(trace, sums, function);
    check_difference difference = {.array = "sum"};
    for (int k = 0; k < sums; k++) check_compare_floats(&difference, (size_t)k, &given[k].sum, &found[k], 1);
    check_equal(&difference, check_text("%s is wrong in an order of its work that CUDA's rules allow", function));
    check_way_of(program, trace, given, sums, function);
    if (sums > 1) check_may_overlap(trace); /* here a query is not ready at first, so that asking until it is counts */
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

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

static _Noreturn void fail_for_wait(const lab_trace_op *wait, int fills)
{
    check_fail(
        CHECK_RULE, check_text("lab01_pair waits (%s); it must only enqueue", lab_op_kind_name(wait->kind)),
        .at = check_at(wait), .expected = "two fills enqueued, and no wait",
        .found = check_text("a wait (%s) after %d fill%s", lab_op_kind_name(wait->kind), fills, fills == 1 ? "" : "s"),
        .cause = fills == 1
                     ? "the host waits between the two fills, so the later one waits for the earlier on all streams"
                     : "the pair only enqueues; the program waits for the device after each pair");
}

static const char *const stream_names[] = {"null", "blocking", "other blocking", "non-blocking"};

/* The two fills of pair number `number`, between its mark and the return of lab01_pair, which must not wait. */
static void find_pair(const lab_trace *trace, int number, const lab_trace_op *found[2])
{
    char name[32];
    int count = 0;
    const lab_trace_op *last = NULL;
    snprintf(name, sizeof name, LAB01_PAIR_MARK, number / LAB01_STREAMS, number % LAB01_STREAMS);
    size_t i = check_mark(trace, name)->id;
    for (; i < trace->ops && !check_is_mark(&trace->op[i], "lab01_pair returned"); i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->host_waits) fail_for_wait(op, count);
        if (op->kind != LAB_OP_KERNEL && op->kind != LAB_OP_FILL) continue;
        last = op;
        if (count < 2) found[count] = op;
        count++;
    }
    CHECK_THAT(count == 2, CHECK_RULE, check_text("lab01_pair must enqueue two fills, not %d", count),
               .at = check_at(last), .expected = "two fills", .found = check_text("%d", count),
               .cause = count ? NULL : "nothing is enqueued: is lab01_pair written yet?");
    for (int k = 0; k < 2; k++) {
        if (check_uses_block(found[k], check_pool_block(trace, k))) continue;
        check_fail(CHECK_RULE,
                   check_text("lab01_pair does not fill `%s` with its %s fill", k ? "second" : "first",
                              k ? "second" : "first"),
                   .at = check_at(found[k]), .expected = check_text("a fill of the array `%s`", k ? "second" : "first"),
                   .found = check_text("a fill of %s", check_uses_block(found[k], check_pool_block(trace, !k))
                                                           ? "the other array"
                                                           : "something else"));
    }
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

/* The arrays must hold ones and twos after each pair, and the device's fills must have made them. */
static void check_pairs_filled(check_program *program, const lab_trace *trace)
{
    static const char *const names[] = {"`first`", "`second`", NULL};
    for (int pair = 0; pair < LAB01_PAIRS; pair++)
        check_filled(program, trace, "lab01_pair", names, offsetof(lab01_memory, filled[pair]), LAB01_FILLED);
}

/* Each fill must be on its stream: with both on one stream the later one always waits. */
static void check_streams(const lab_trace *trace, const lab_trace_op *const pair[LAB01_PAIRS][2])
{
    for (int i = 0; i < LAB01_PAIRS; i++) {
        for (int k = 0; k < 2; k++) {
            const int number = k == 0 ? i / LAB01_STREAMS : i % LAB01_STREAMS;
            const uint64_t stream = pair[i][k]->stream;
            CHECK_THAT(is_of_kind(trace, stream, number) && stream == pair[5 * number][0]->stream, CHECK_RULE,
                       check_text("lab01_pair does not put its %s fill on the stream `%s`", k == 0 ? "first" : "second",
                                  k == 0 ? "earlier" : "later"),
                       .at = check_at(pair[i][k]),
                       .cause = "this fill names another stream than the one that it is to be on");
        }
    }
    CHECK_THAT(pair[5][0]->stream != pair[10][0]->stream, CHECK_RULE, "lab01_pair uses one blocking stream for two");
}

/* Whether CUDA's rules make work on one stream of the experiment wait for earlier work on another. */
static bool waits_by_rule(int earlier, int later)
{
    if (earlier == later) return true;
    const bool blocking = earlier != LAB01_NON_BLOCKING && later != LAB01_NON_BLOCKING;
    return blocking && (earlier == LAB01_NULL || later == LAB01_NULL);
}

/* The program must have recorded the order that the rules make, and no other. */
static void check_order(const lab_trace *trace, const lab_trace_op *const pair[LAB01_PAIRS][2])
{
    lab_relations *relations = check_relations(trace);
    for (int i = 0; i < LAB01_PAIRS; i++) {
        const int earlier = i / LAB01_STREAMS, later = i % LAB01_STREAMS;
        const bool rule = waits_by_rule(earlier, later);
        if (lab_relations_before(relations, pair[i][0]->id, pair[i][1]->id) == rule) continue;
        const lab_trace_op *where = pair[i][1];
        for (size_t k = pair[i][0]->id; k < pair[i][1]->id; k++)
            if (trace->op[k].kind == LAB_OP_EVENT_WAIT) where = &trace->op[k];
        check_fail(CHECK_RULE, "lab01_pair does more than enqueue two fills", .at = check_at(where),
                   .expected = check_text("work on the %s stream that %s for earlier work on the %s stream",
                                          stream_names[later], rule ? "waits" : "does not wait", stream_names[earlier]),
                   .found = check_text("that it %s", rule ? "does not" : "does"),
                   .cause = "lab01_pair makes an order of its own, so the experiment does not show the streams'");
    }
}

CHECK(waiting_is_predicted, .points = 10, .title = "Task 4: who waits for whom, as recorded",
      .hints = {
          "Task 4: read the two rules of the null stream again; which streams take part in them?",
          "The null stream and blocking streams wait for each other, both ways. Two blocking streams are just two "
          "streams.",
          "A row is the earlier stream. The null stream's row is true for itself and both blocking streams; a "
          "blocking stream's row for the null stream and itself; the non-blocking one's for itself alone."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    unsigned char predicted[LAB01_PAIRS];
    check_trace_begin(program);
    check_call(program, "lab01_pair", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    const lab_trace_op *pair[LAB01_PAIRS][2];
    for (int i = 0; i < LAB01_PAIRS; i++) find_pair(trace, i, pair[i]);
    check_streams(trace, pair);
    check_pairs_filled(program, trace);
    check_order(trace, pair);
    check_table(predicted, sizeof predicted, "lab01_waits");
    int wrong = 0, shown = 0;
    for (int i = LAB01_PAIRS - 1; i >= 0; i--) {
        if (waits_by_rule(i / LAB01_STREAMS, i % LAB01_STREAMS) == (predicted[i] != 0)) continue;
        wrong++;
        shown = i;
    }
    const int earlier = shown / LAB01_STREAMS, later = shown % LAB01_STREAMS;
    CHECK_THAT(wrong == 0, CHECK_WRONG_RESULT,
               check_text("%d of 16 predictions differ from what the device does", wrong),
               .at = check_at_name(check_text("lab01_waits[%d]", earlier)),
               .expected = check_text("work on the %s stream %s for earlier work on the %s stream", stream_names[later],
                                      waits_by_rule(earlier, later) ? "waits" : "does not wait", stream_names[earlier]),
               .found = check_text("lab01_waits says %s", predicted[shown] ? "true" : "false"));
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(streams_are_given_back, .points = 5, .schedule = "fifo", .any_order = true, .title = "Streams are released",
      .hints = {"A stream that your function makes is still there when it returns.",
                "lab_stream_destroy releases a stream; it does not wait for its work.",
                "After the synchronize: lab_stream_destroy(stream) in lab01_sum, both streams in lab01_two_sums."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    check_given_back(record_sum(program, (size_t)check_draw(1, 2000), 0), "stream", NULL, NULL);
    check_given_back(record_two_sums(program, (size_t)check_draw(1, 2000), (size_t)check_draw(1, 2000), 1), "stream",
                     NULL, NULL);
}

CHECK(failures_are_not_hidden, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "sum_is_right, scopes_nest, use_goes_back, two_sums_can_overlap",
      .title = "A call that fails is not hidden",
      .hints = CHECK_FAILURE_HINTS(
          "Put LAB_TRY around each call of the library, and around your own functions that return a status."))
{
    const lab01_counts counts = {.count = {(size_t)check_draw(1, 2000), (size_t)check_draw(1, 2000)}};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab01_sum", "lab01_two_sums", "lab01_pair"),
                                    .arguments = &counts,
                                    .argument_bytes = sizeof counts,
                                    .memory_bytes = sizeof(lab01_memory),
                                    .any_failure = true});
}
