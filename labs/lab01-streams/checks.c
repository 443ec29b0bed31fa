/* The checks of lab 01: sums of whole numbers, which are exact; streams and current streams, from the record. */
#include "case.h"
#include "find.h"
#include "lab01.h"
#include "shared.h"

#include <stdio.h>
#include <string.h>

CHECK_LAB("lab01", "Streams");

enum { SHOWN = 8192 }; /* numbers in the run whose timeline is shown */

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

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

/* Why a sum is wrong, as far as the record shows it, and where. */
static check_finding explain_sum(const check_case_run *now, int array, size_t element)
{
    const int room = now->row;
    const lab_trace_op *from = check_pool_block(now->trace, 2 * room), *to = check_pool_block(now->trace, 2 * room + 1),
                       *in = check_find(now->trace, (check_sought){LAB_OP_COPY_HTOD, .block = from}),
                       *sum = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .block = to}),
                       *out = check_find(now->trace, (check_sought){LAB_OP_COPY_DTOH, .block = to}),
                       *astray =
                           in && sum && !out ? check_find(now->trace, (check_sought){.kind = LAB_OP_COPY_DTOH}) : NULL;
    if (!sum) sum = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .block = from});
    size_t copied = 0;
    (void)array, (void)element;
    for (const lab_trace_op *op = now->trace->op; op < now->trace->op + now->trace->ops; op++)
        copied += op->kind == LAB_OP_COPY_HTOD && check_uses_block(op, from) ? op->bytes : 0;
    const bool short_copy = in && sum && out && in < sum && copied < now->count * sizeof(float);
    return (check_finding){.at = check_at(short_copy ? in
                                          : astray   ? astray
                                          : sum      ? sum
                                          : in       ? in
                                                     : out),
                           .cause = !in && !sum && !out
                                        ? "nothing is enqueued: enqueue_sum is not written yet, or it is not called"
                                    : !in    ? "nothing is copied into room->numbers: lab_array_set_async does that"
                                    : !sum   ? "nothing adds room->numbers up into room->total: lab_array_sum does that"
                                    : astray ? "this copy to the host is of another array than room->total"
                                    : !out   ? "nothing copies room->total to the host: lab_array_get_async does that"
                                    : in > sum   ? "the sum is enqueued before the numbers are copied in"
                                    : out < sum  ? "the copy out is enqueued before the sum"
                                    : short_copy ? check_text("%zu bytes are copied in, and %zu floats have %zu",
                                                              copied, now->count, now->count * sizeof(float))
                                    : strcmp(sum->name, "array_sum") != 0
                                        ? check_text("%s is another operation than lab_array_sum", sum->name)
                                        : NULL};
}

/* Each sum is a row. */
#define SUMS                                                                                                           \
    .memory_bytes = sizeof(lab01_memory), .dealt = true, .row = "sum", .explain = explain_sum,                         \
    .given = CHECK_CASE_GIVEN(lab01_counts, count[0], {.name = NULL}),                                                 \
    .array = {{"the numbers", offsetof(lab01_memory, input), .low = 0.0f, .high = 1000.0f, .whole = true,              \
               .stride = sizeof(float[LAB01_MOST])},                                                                   \
              {"the sum", offsetof(lab01_memory, sum), .is = check_summed, .from = {"the numbers"},                    \
               .stride = sizeof(float), .numbers = 1}}
static const check_case sums_of[] = {
    [1] = {SUMS, .function = "lab01_sum", .rows = 1}, [2] = {SUMS, .function = "lab01_two_sums", .rows = 2}};

/* A call whose sums are right, and are what the device's own operations made of these numbers. */
static check_case_run record_sums(check_program *program, int sums, size_t first, size_t second)
{
    return check_case_proven(&sums_of[sums], program, &(lab01_counts){.count = {first, second}});
}

/* The one stream of a function's work, or of its work in one room, which the function must have made. 0 without
 * work. */
static uint64_t own_stream(const check_case_run *now, int room)
{
    const lab_trace *trace = now->trace;
    uint64_t stream = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (!is_work(op) || (room >= 0 && room_of(trace, op) != room)) continue;
        CHECK_THAT(
            !check_stream(trace, op->stream)->null_stream, CHECK_RULE,
            check_text("%s runs a %s on the null stream", now->span.function, lab_op_kind_name(op->kind)),
            .at = check_at(op),
            .expected = check_text("copy in, sum and copy out on one stream that %s makes", now->span.function),
            .found = check_text("a %s on the null stream", lab_op_kind_name(op->kind)),
            .cause = "the call names no stream, or NULL, which means the current one; lab_array_set and lab_array_get "
                     "always use the null stream");
        CHECK_THAT(check_find(trace, (check_sought){LAB_OP_STREAM_CREATE, .stream = op->stream}), CHECK_RULE,
                   check_text("%s uses a stream that is not its own", now->span.function), .at = check_at(op),
                   .cause = "the stream of this call is a stream that was there before; lab_stream_create makes one");
        if (!stream) stream = op->stream;
        CHECK_THAT(op->stream == stream, CHECK_RULE,
                   check_text("%s uses more than one stream for a sum", now->span.function), .at = check_at(op),
                   .cause = "this call names another stream than the calls of the same sum before it");
    }
    return stream;
}

/* The function must have waited for the copy back of each sum. */
static void check_waits(check_case_run now)
{
    const int copies = check_count_ops(now.trace, LAB_OP_COPY_DTOH);
    check_waits_for_all(now.trace, now.span);
    CHECK_THAT(copies >= now.rows, CHECK_RULE,
               check_text("%s copied %d sum%s back, %d expected", now.span.function, copies, copies == 1 ? "" : "s",
                          now.rows));
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
    const size_t sizes[] = {2, 1, 31, (size_t)check_draw(500, 1500), LAB01_MOST};
    check_program *program = check_start(sizeof(lab01_memory));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) record_sums(program, 1, sizes[i], 0);
}

CHECK(sum_on_its_own_stream, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: copies and sum run on a stream of your own",
      .hints = {"Which stream does each call name? NULL means the current one, and that is the null stream here.",
                "Make a stream with lab_stream_create and give it to every call.",
                "lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING), then enqueue_sum(sum, input, room, stream); in "
                "enqueue_sum all three calls take `stream`."})
{
    const check_case_run now = record_sums(check_start(sizeof(lab01_memory)), 1, 1000, 0);
    CHECK_THAT(own_stream(&now, -1), CHECK_RULE, "lab01_sum enqueued nothing on the device",
               .cause = "enqueue_sum is not written yet, or lab01_sum does not call it");
}

CHECK(sum_is_waited_for, .points = 10, .schedule = "fifo", .any_order = true,
      .title = "Task 1: the sum is there when the function returns",
      .hints = {"What has happened when lab_array_get_async returns?",
                "The calls only enqueue. Before *sum may be read, the stream must be waited for.",
                "lab_stream_synchronize(stream), after everything is enqueued and before the stream is destroyed: "
                "destroying does not wait."})
{
    check_waits(record_sums(check_start(sizeof(lab01_memory)), 1, 1000, 0));
}

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

/* What the record shows of a call: the streams, by number, and the current stream in each step. */
typedef struct currents {
    const char *function;
    lab01_failure failure;
    uint64_t before, after, given[2], current[LAB01_STEPS];
    int calls, by_scope;   /* of steps; and those in which LAB_WITH_STREAM had made the stream current */
    int step[LAB01_STEPS]; /* which step each of the first calls was */
    bool strange;          /* a step got another user than its own */
    int returned;          /* the status */
} currents;

static void take_mark(currents *seen, const lab_trace_op *mark)
{
    int number, length = 0;
    if (sscanf(mark->name, LAB01_AFTER_MARK, &number) == 1) {
        seen->after = mark->stream;
        seen->returned = number;
    }
    if (sscanf(mark->name, LAB01_STEP_MARK "%n", &number, &length) != 1) return;
    if (mark->name[length]) seen->strange = true;
    if (seen->calls < LAB01_STEPS) {
        seen->step[seen->calls] = number;
        seen->current[seen->calls] = mark->stream;
        seen->by_scope += mark->bytes == 1;
    }
    seen->calls++;
}

/* The name of a stream in the words of the task. */
static const char *stream_name(const currents *seen, uint64_t id)
{
    const bool use = strcmp(seen->function, "lab01_use") == 0;
    return id == seen->given[0]   ? (use ? "`stream`" : "the first stream")
           : id == seen->given[1] ? (use ? "the stream that the step has used" : "the second stream")
           : id == seen->before   ? "the stream from before"
           : id == 0              ? "none"
                                  : "another stream";
}

/* One call of the function. Fails the check unless it calls steps 1 to `steps`, each with the right stream current; the
 * last of them may fail. */
static currents watch(check_program *program, const char *function, lab01_failure failure, int steps)
{
    check_trace_begin(program);
    check_call(program, function, &failure, sizeof failure, NULL, 0);
    const lab_trace *trace = check_trace(program);
    currents seen = {
        .function = function,
        .failure = failure,
        .before = check_mark(trace, LAB01_BEFORE_MARK)->stream,
        .given = {check_mark(trace, LAB01_FIRST_MARK)->stream, check_mark(trace, LAB01_SECOND_MARK)->stream}};
    for (size_t i = 0; i < trace->ops; i++)
        if (trace->op[i].kind == LAB_OP_MARK) take_mark(&seen, &trace->op[i]);
    for (int k = 0; k < steps; k++) {
        const uint64_t right = seen.given[k % 2];
        CHECK_THAT(k < seen.calls && seen.step[k] == k + 1, CHECK_WRONG_RESULT,
                   check_text("%s does not call step %d%s", function, k + 1, k ? " next" : " first"),
                   .expected = check_text("call %d: step %d", k + 1, k + 1),
                   .found = k < seen.calls ? check_text("call %d: step %d", k + 1, seen.step[k]) : "no call",
                   .cause = seen.calls ? NULL : check_text("no step is called: is %s written yet?", function));
        CHECK_THAT(seen.current[k] == right, CHECK_WRONG_RESULT,
                   check_text("%s does not have the right stream current", function),
                   .expected = check_text("in step %d: %s", k + 1, stream_name(&seen, right)),
                   .found = check_text("in step %d: %s", k + 1, stream_name(&seen, seen.current[k])),
                   .cause = seen.current[k] == seen.before
                                ? "nothing that the function has made current is current here: is the call outside of "
                                  "the braces, or before the use?"
                                : "what was made current last is current here, until its braces end");
    }
    CHECK_THAT(seen.calls == steps, CHECK_WRONG_RESULT, check_text("%s goes on after step %d", function, steps),
               .expected = check_text("%d call%s of a step", steps, steps == 1 ? "" : "s"),
               .found = check_text("%d", seen.calls),
               .cause = failure.step ? check_text("the status of step %d is not looked at: LAB_TRY(step.call(...)) "
                                                  "returns it",
                                                  steps)
                                     : NULL);
    CHECK_THAT(!seen.strange, CHECK_WRONG_RESULT, check_text("%s does not pass step.user to the step", function),
               .expected = "step.call(step.user, ...)", .found = "another pointer than step.user");
    return seen;
}

/* The lesson has two ways to make a stream current, and each function shows one of them. */
static void check_manner(const currents *seen, bool scopes)
{
    const char *asked = scopes ? "LAB_WITH_STREAM" : "lab_stream_use";
    CHECK_THAT(seen->by_scope == (scopes ? seen->calls : 0), CHECK_RULE,
               check_text("%s is to do it with %s", seen->function, asked),
               .expected = check_text("%s makes the streams current", asked),
               .found = check_text("%s does, in %d of %d steps", scopes ? "lab_stream_use" : "LAB_WITH_STREAM",
                                   scopes ? seen->calls - seen->by_scope : seen->by_scope, seen->calls),
               .cause = check_text("this task is about %s; the other one is about the other way", asked));
}

/* The function returned the status of the step that failed, or success, and the stream from before is current again. */
static void check_end(const currents *seen, const char *status_cause, check_finding why)
{
    const lab01_failure failure = seen->failure;
    CHECK_THAT(seen->returned == failure.status, CHECK_WRONG_RESULT,
               failure.step
                   ? check_text("%s does not return the status of step %d, which failed", seen->function, failure.step)
                   : check_text("%s fails although no step does", seen->function),
               .expected = check_text("status %s", lab_status_name((lab_status)failure.status)),
               .found = check_text("status %s", lab_status_name((lab_status)seen->returned)), .cause = status_cause);
    CHECK_THAT(seen->after == seen->before, CHECK_RULE,
               check_text("%s leaves another stream current than it found", seen->function), .at = why.at,
               .expected = "afterwards: the stream from before",
               .found = check_text("afterwards: %s", stream_name(seen, seen->after)), .cause = why.cause);
}

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
        const currents seen = watch(program, "lab01_nested", (lab01_failure){0}, LAB01_STEPS);
        check_end(&seen, NULL, (check_finding){.cause = "a stream was made current and not taken back"});
        check_manner(&seen, true);
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
        const currents seen = watch(program, "lab01_nested", failure, failure.step);
        check_end(&seen, NULL,
                  (check_finding){.cause = "it returns early with a stream current that it made current: leave that to "
                                           "LAB_WITH_STREAM"});
    }
}

/* Why another stream is current after lab01_use, and where. The step has left the second one current. */
static check_finding explain_use(const currents *seen)
{
    if (seen->after == seen->given[0])
        return (check_finding){.at = check_at_name("lab_stream_current in lab01_use"),
                               .cause = "the last use is of the stream that the function itself has made current: "
                                        "lab_stream_current() says what is current at that moment, so ask before "
                                        "lab_stream_use"};
    if (seen->after != seen->given[1])
        return (check_finding){.cause = "the stream that was current before need not be the null stream"};
    return (check_finding){.cause = seen->failure.step
                                        ? "the step failed, and the function returned before it went back"
                                        : "the stream that was current before is not used again"};
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
        const currents seen = watch(program, "lab01_use", failure, 1);
        check_end(&seen, k < 0 ? NULL : "the function returns something else than the step's status",
                  explain_use(&seen));
        check_manner(&seen, false);
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
    lab_relations *relations = check_relations(trace);
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        for (const lab_trace_op *earlier = op; earlier-- > trace->op;) {
            if (!is_work(op) || !is_work(earlier) || room_of(trace, op) + room_of(trace, earlier) != 1) continue;
            if (lab_relations_may_overlap(relations, earlier->id, op->id)) continue;
            check_finding why = explain_order(trace, earlier, op);
            why.kind = CHECK_RULE;
            why.message = "lab01_two_sums cannot overlap its two sums";
            check_fail_with(why);
        }
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
    check_case_run now = record_sums(program, 2, SHOWN, SHOWN + 1);
    check_artifact_trace(now.trace, "lab01_two_sums");
    uint64_t stream[2];
    for (int k = 0; k < 2; k++) {
        stream[k] = own_stream(&now, k);
        CHECK_THAT(stream[k] != 0, CHECK_RULE, check_text("lab01_two_sums does not use the arrays of room[%d]", k),
                   .expected = check_text("sum[%d] made in room[%d]", k, k),
                   .found = check_text("no work in room[%d]", k));
    }
    CHECK_THAT(stream[0] != stream[1], CHECK_RULE, "lab01_two_sums does not run each sum on a stream of its own",
               .at = check_at(check_op_in(check_whole(now.trace, NULL), LAB_OP_COPY_DTOH, -1)),
               .expected = "two streams of your own", .found = "one stream");
    /* Whether a query is ready at once is luck there. */
    program = check_start_unkind(sizeof(lab01_memory));
    now = record_sums(program, 2, SHOWN, SHOWN + 1);
    check_may_overlap(now.trace);
    enum { TRIES = 8 };
    for (int k = 1; k < TRIES && is_serial(now.trace); k++) now = record_sums(program, 2, SHOWN, SHOWN + 1);
    CHECK_THAT(!is_serial(now.trace), CHECK_RULE, "lab01_two_sums cannot overlap its two sums",
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
    check_waits(record_sums(program, 2, 100, LAB01_MOST));
    check_waits(record_sums(program, 2, 33, 2)); /* not those of the call before */
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
    for (int sums = 1; sums <= 2; sums++) {
        const lab01_counts given = {{(size_t)check_draw(2500, 3500), (size_t)check_draw(4000, 5000)}, .pinned = true};
        const check_case_run now = check_case_with(&sums_of[sums], NULL, &given);
        check_case_ordered(&now);
        check_waits(now);
        check_case_prove(&now);
        if (sums > 1) check_may_overlap(now.trace); /* a query is not ready at first: to ask until it is counts */
    }
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

static const char *const stream_names[] = LAB01_STREAM_MARKS;

/* Whether CUDA's rules make work on one stream of the experiment wait for earlier work on another. */
static bool waits_by_rule(int earlier, int later)
{
    if (earlier == later) return true;
    const bool blocking = earlier != LAB01_NON_BLOCKING && later != LAB01_NON_BLOCKING;
    return blocking && (earlier == LAB01_NULL || later == LAB01_NULL);
}

/* Fails the check unless this call of lab01_pair enqueues its two fills, each on its stream and of its array, and no
 * order but that of the streams. */
static void check_pair(check_program *program, const lab_trace *trace, int earlier, int later)
{
    check_span span = {.begins = check_mark(trace, check_text(LAB01_PAIR_MARK, earlier, later)),
                       .function = "lab01_pair"};
    for (span.ends = span.begins; !check_is_mark(span.ends, "lab01_pair returned");) span.ends++;
    const lab_trace_op *work = span.begins; /* fills of ones and twos are kernels, or not */
    while (work < span.ends && !check_is_work(work)) work++;
    const lab_op_kind fill = work->kind == LAB_OP_KERNEL ? LAB_OP_KERNEL : LAB_OP_FILL;
    const uint64_t stream[] = {check_mark(trace, stream_names[earlier])->stream,
                               check_mark(trace, stream_names[later])->stream};
    check_plan plan = {.program = program,
                       .trace = trace,
                       .span = span,
                       .stream = {{stream[0], stream_names[earlier]}, {stream[1], stream_names[later]}}};
    const int first = check_plan_add(
        &plan,
        (check_step){
            .name = "the fill of `first`", .kind = fill, .stream = stream[0], .block = check_pool_block(trace, 0)},
        AFTER());
    check_plan_add(
        &plan,
        (check_step){
            .name = "the fill of `second`", .kind = fill, .stream = stream[1], .block = check_pool_block(trace, 1)},
        AFTER(waits_by_rule(earlier, later) ? first : -1));
    check_returns_at_once(trace, span);
    check_plan_find(&plan);
    check_plan_edges(&plan, NULL);
}

CHECK(waiting_is_predicted, .points = 10, .title = "Task 4: who waits for whom, as recorded",
      .hints = {
          "Task 4: read the two rules of the null stream again; which streams take part in them?",
          "The null stream and blocking streams wait for each other, both ways. Two blocking streams are just two "
          "streams.",
          "A row is the earlier stream. The null stream's row is true for itself and both blocking streams; a "
          "blocking stream's row for the null stream and itself; the non-blocking one's for itself alone."})
{
    static const char *const arrays[] = {"`first`", "`second`", NULL};
    check_program *program = check_start(sizeof(lab01_memory));
    unsigned char predicted[LAB01_PAIRS];
    check_trace_begin(program);
    check_call(program, "lab01_pair", NULL, 0, NULL, 0);
    const lab_trace *trace = check_trace(program);
    for (int i = 0; i < LAB01_PAIRS; i++) {
        check_pair(program, trace, i / LAB01_STREAMS, i % LAB01_STREAMS);
        check_filled(program, trace, "lab01_pair", arrays,
                     offsetof(lab01_memory, filled[0]) + (size_t)i * sizeof(float[2][LAB01_FILLED]), LAB01_FILLED);
    }
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
               .expected = check_text("work on %s %s for earlier work on %s", stream_names[later],
                                      predicted[shown] ? "does not wait" : "waits", stream_names[earlier]),
               .found = check_text("lab01_waits says %s", predicted[shown] ? "true" : "false"));
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(streams_are_given_back, .points = 5, .schedule = "fifo", .any_order = true, .title = "Streams are released",
      .hints = {"A stream that your function makes is still there when it returns.",
                "lab_stream_destroy releases a stream; it does not wait for its work.",
                "After the synchronize: lab_stream_destroy(stream) in lab01_sum, both streams in lab01_two_sums."})
{
    check_program *program = check_start(sizeof(lab01_memory));
    for (int sums = 1; sums <= 2; sums++)
        check_given_back(record_sums(program, sums, (size_t)check_draw(1, 2000), (size_t)check_draw(1, 2000)).trace,
                         "stream", NULL, NULL);
}

CHECK(failures_are_not_hidden, CHECK_OF_FAILURES, .points = 5,
      .after = "sum_is_right, scopes_nest, use_goes_back, two_sums_can_overlap",
      .title = "A call that fails is not hidden",
      .hints = {
          [2] = "Put LAB_TRY around each call of the library, and around your own functions that return a status."})
{
    const lab01_counts counts = {.count = {(size_t)check_draw(1, 2000), (size_t)check_draw(1, 2000)}};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab01_sum", "lab01_two_sums", "lab01_pair"),
                                    CHECK_GIVEN(counts),
                                    .memory_bytes = sizeof(lab01_memory),
                                    .any_failure = true});
}
