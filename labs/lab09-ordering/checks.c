/* The checks of lab 09: the numbers, and from the record which operations wait for which, what priority the streams
 * have, and where the host functions stand. */
#include "case.h"
#include "find.h"
#include "lab09.h"
#include "shared.h"

#include <math.h>
#include <string.h>

CHECK_LAB("lab09", "Ordering");

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

#define OF_LAB09                                                                                                       \
    .memory_bytes = sizeof(lab09_memory), .threads = 128,                                                              \
    .given = CHECK_CASE_GIVEN(lab09_arguments, count, {"steps", offsetof(lab09_arguments, steps), 3, 6, true}),        \
    .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, int steps)"},              \
               {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], int count)"}}
#define ON_TWO_STREAMS OF_LAB09, .in_blocks = true, .stream = {{"one", "`one`"}, {"two", "`two`"}}
#define INPUT(input) offsetof(lab09_memory, input), .low = 0.1f, .high = 0.9f
#define RESULT(number, ...) offsetof(lab09_memory, result[number]), .from = {__VA_ARGS__}

static const check_case at_once = {
    .function = "lab09_at_once",
    ON_TWO_STREAMS,
    .array = {{"x", INPUT(x)},
              {"y", INPUT(y)},
              {"u", RESULT(0, "x"), .is = check_advanced},
              {"v", RESULT(1, "x", "y"), .is = check_mixed}},
    .step = {{"u", .on = "`one`"}, {"v", .on = "`two`"}},
};

static const check_case in_order = {
    .function = "lab09_in_order",
    ON_TWO_STREAMS,
    .array = {{"x", INPUT(x)},
              {"y", INPUT(y)},
              {"u", RESULT(0, "x"), .is = check_advanced},
              {"v", RESULT(1, "y"), .is = check_advanced},
              {"p", RESULT(2, "u", "y"), .is = check_mixed}},
    .step = {{"u", .on = "`one`"}, {"v", .on = "`one`", .after = {"u"}}, {"p", .on = "`two`", .after = {"u"}}},
};

static const check_case branches = {
    .function = "lab09_branches",
    ON_TWO_STREAMS,
    .array = {{"x", INPUT(x)},
              {"y", INPUT(y)},
              {"u", RESULT(0, "x"), .is = check_advanced},
              {"v", RESULT(1, "y"), .is = check_advanced},
              {"p", RESULT(2, "u", "v"), .is = check_mixed},
              {"q", RESULT(3, "u"), .is = check_advanced},
              {"r", RESULT(4, "p", "q"), .is = check_mixed}},
    .step =
        {{.name = "u"}, {.name = "v"}, {"p", .after = {"u", "v"}}, {"q", .after = {"u"}}, {"r", .after = {"p", "q"}}},
};

static void keeps_question(const check_case_run *now);
static const check_case ask = {
    .function = "lab09_ask",
    OF_LAB09,
    .keeps = keeps_question,
    .in_blocks = true,
    .stream = {{"urgent", "the urgent stream"},
               {"normal", "the normal stream"},
               {"background", "the background stream"}},
    .array = {{"x", INPUT(x)},
              {"y", INPUT(y)},
              {"u", RESULT(0, "x"), .is = check_advanced},
              {"v", RESULT(1, "u"), .is = check_advanced},
              {"p", RESULT(2, "x", "y"), .is = check_mixed},
              {"q", RESULT(3, "v"), .is = check_advanced},
              {"answer", offsetof(lab09_memory, answer), .is = check_mixed, .from = {"x", "y"}}},
    .step = {{"u", .on = "the background stream"},
             {"v", .on = "the background stream", .after = {"u"}},
             {"q", .on = "the background stream", .after = {"v"}},
             {"p", .on = "the urgent stream"}},
};

/* The batches of task 4, each a row. */
static void carry(float *to, const float *const *from, const check_case_run *now)
{
    const float total = now->row ? to[-1] : 0; /* the last number of the batch before */
    for (size_t i = 0; i < now->count; i++) to[i] = from[0][i] + total;
}

#define BATCH(name) offsetof(lab09_memory, name), .stride = sizeof(float[LAB09_BATCH_MOST])
static check_finding explain_batch(const check_case_run *now, int array, size_t element);
static void keeps_turns(const check_case_run *now);
static const check_case in_turn = {
    .function = "lab09_in_turn",
    OF_LAB09,
    .stream = {{"one", "`one`"}, {"two", "`two`"}},
    .rows = LAB09_BATCHES,
    .explain = explain_batch,
    .keeps = keeps_turns,
    .array = {{"batch->x", BATCH(batch_x), .low = 0.1f, .high = 0.9f},
              {"what was copied out", .is = check_advanced, .from = {"batch->x"}, .stride = CHECK_PACKED,
               .mistake =
                   "lab09_carry adds nothing here: *batch->total is still 0, or the numbers are left as they are"},
              {"batch->host", BATCH(batch_host), .is = carry, .from = {"what was copied out"}, .by_host = true},
              {"v", BATCH(batch_v), .is = check_mixed, .from = {"batch->host", "batch->x"}}},
};

/* Fails the check if something is out of order, or an event is left. */
static void check_clean(const check_case_run *now)
{
    check_case_ordered(now);
    check_keeps_nothing(now->trace, now->span);
}

/* ---- Tasks 1 and 2 ----------------------------------------------------------------------------------------------- */

static const int sizes[] = {1, 127, 128, 129, LAB09_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes, LONG = 2000 };

static int few(void) { return check_draw(800, 1200); }

/* In all sizes the kernels wait for each other as the case says, and for nothing else. */
static void check_all_sizes(const check_case *of)
{
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        const lab09_arguments given = {sizes[s], s == SIZES - 1 ? LONG : 0};
        const check_case_run now = check_case_with(of, program, &given);
        check_returns_at_once(now.trace, now.span);
        if (s == SIZES - 1) check_artifact_trace(now.trace, of->function);
        check_case_keeps_plan(&now);
        check_case_prove(&now);
        check_clean(&now);
    }
}

/* A kernel that reads what the other writes needs no order, but other inputs: those are told. */
CHECK(kernels_run_at_once, .points = 10, .any_order = true, .schedule = "fifo",
      .title = "Task 1: two kernels that nothing orders",
      .hints = {"Task 1: what would make the second kernel wait for the first?",
                "A stream keeps its own order, and only that. Two streams, one launch on each, no wait.",
                "advance(work, work->u, work->x, work->one), then mix(...) into work->v on work->two; LAB_TRY around "
                "each."})
{
    check_all_sizes(&at_once);
}

/* What no edge orders is told by the edge, here and in the checks of its kind below. */
CHECK(sync_point_orders_one_pair, .points = 15, .any_order = true, .title = "Task 2: one sync point orders one pair",
      .hints = {"Task 2: what has been enqueued on `one` when your event is recorded?",
                "An event stands for all work that is on its stream when it is recorded. Record it between the two "
                "kernels of `one`, and let `two` wait for it.",
                "advance into u; lab_event_record(u_done, work->one); advance into v; lab_stream_wait_event(work->two, "
                "u_done); mix into p on work->two; destroy the event."})
{
    check_all_sizes(&in_order);
}

CHECK(edges_and_no_other, .points = 15, .any_order = true,
      .title = "Task 2: five kernels, the edges of the drawing and no other",
      .hints = {"Task 2: draw the five kernels on two lines, one for each stream. Which edges lie along a line?",
                "u, q and r fit on one stream, v and p on the other. Two edges remain, so two events. Each is recorded "
                "right behind the kernel that it stands for, and waited for right before the one that needs it.",
                "one: u, record u_done, q, wait for p_done, r. two: v, wait for u_done, p, record p_done. Each record "
                "is called before its wait."})
{
    check_all_sizes(&branches);
}

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Task 2: right in every order that the rules allow",
      .hints = {"The device may run what nothing orders in any order. Which of your kernels reads another's result?",
                "Right numbers on a quiet machine prove nothing. Each kernel that reads a result of the other stream "
                "needs an event before it.",
                "Record after the kernel that writes, wait before the kernel that reads, and record first."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    const check_case *const all[] = {&in_order, &branches};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const check_case_run now = check_case_at(all[i], program, (size_t)few());
        check_returns_at_once(now.trace, now.span);
        check_case_prove(&now);
    }
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* One call of the program's. */
static void check_priorities(check_program *program)
{
    static const char *const word[] = LAB09_MARKS;
    static const check_case open_streams = {.function = "lab09_open_streams", OF_LAB09};
    lab09_priorities range;
    uint64_t id[LAB09_STREAMS];
    const check_case_run now = check_case_at(&open_streams, program, 0);
    check_call(check_start_reference(0), "ask_priorities", NULL, 0, &range, sizeof range);
    for (int i = 0; i < LAB09_STREAMS; i++) id[i] = check_mark(now.trace, word[i])->stream;
    check_returns_at_once(now.trace, now.span);
    const int wanted[] = {range.greatest, range.least - (range.least - range.greatest) / 2, range.least};
    const int made = check_count_in(now.span, LAB_OP_STREAM_CREATE) - check_count_in(now.span, LAB_OP_STREAM_DESTROY);
    CHECK_THAT(made == LAB09_STREAMS, CHECK_RULE,
               check_text("lab09_open_streams does not make %d streams", LAB09_STREAMS),
               .expected = check_text("%d streams", LAB09_STREAMS), .found = check_text("%d", made));
    for (int i = 0; i < LAB09_STREAMS; i++) {
        const lab_trace_op *creation = NULL;
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
            if (op->kind == LAB_OP_STREAM_CREATE && op->stream == id[i]) creation = op;
        CHECK_THAT(creation, CHECK_RULE, check_text("lab09_open_streams makes no %s stream", word[i]),
                   .expected = "a stream of its own for each place");
        const lab_trace_stream *stream = check_stream(now.trace, id[i]);
        CHECK_THAT(stream->non_blocking, CHECK_RULE, check_text("the %s stream is blocking", word[i]),
                   .at = check_at(creation), .expected = check_text("the %s stream: non-blocking", word[i]),
                   .found = "a blocking stream");
        CHECK_THAT(stream->priority == wanted[i], CHECK_RULE, check_text("the %s stream has another priority", word[i]),
                   .at = check_at(creation),
                   .expected = check_text("the %s stream: priority %d, on a device with %d to %d", word[i], wanted[i],
                                          range.greatest, range.least),
                   .found = check_text("priority %d", stream->priority),
                   .cause = i == LAB09_NORMAL
                                ? "the normal one has the number halfway between the two of this device"
                                : "a lower number is a higher priority, and each device has a range of its own: "
                                  "lab_stream_priority_range gives it");
    }
    for (int i = 1; i < LAB09_STREAMS; i++)
        CHECK_THAT(id[i] != id[0] && id[1] != id[2], CHECK_RULE, "lab09_open_streams puts one stream into two places");
}

CHECK(priorities_of_the_device, .points = 10, .without_flow = "lab09_open_streams only makes streams",
      .title = "Task 3: three streams, from the highest priority to the lowest",
      .hints = {"Task 3: which number is the highest priority of this device?",
                "lab_stream_priority_range gives two numbers, and the highest priority is the lower one. "
                "lab_stream_create_with_priority takes a number and the kind of stream.",
                "LAB_TRY(lab_stream_priority_range(&least, &greatest)); halfway is least - (least - greatest) / 2. All "
                "three streams are LAB_STREAM_NON_BLOCKING."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    check_priorities(program);
    check_priorities(program);
}

CHECK(priorities_are_asked_for, .points = 5, .without_flow = "lab09_open_streams only makes streams",
      .setting = "LAB_CPU_PRIORITIES=3", .title = "Task 3: also on a device with another range",
      .hints = {"Task 3: does your code have a number that only your device has?",
                "The range differs from device to device; some have one priority only. Compute with what "
                "lab_stream_priority_range says.",
                "Halfway between least and greatest, whichever they are: least - (least - greatest) / 2."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    check_priorities(program);
    check_priorities(program);
}

/* The job, the question and the wait of lab09_ask. */
static void keeps_question(const check_case_run *now)
{
    enum { FIRST_OF_JOB, LAST_OF_JOB = 2, QUESTION, ANSWER };
    check_plan plan = check_case_plan(now);
    const check_step *step = plan.step;
    check_plan_add(&plan,
                   (check_step){.name = "the answer",
                                .kind = LAB_OP_COPY_DTOH,
                                .stream = step[QUESTION].stream,
                                .block = step[QUESTION].block},
                   AFTER(QUESTION));
    check_plan_find(&plan);
    check_plan_edges(&plan, NULL);
    CHECK_THAT(step[LAST_OF_JOB].op < step[QUESTION].op, CHECK_RULE, "lab09_ask enqueues the question before the job",
               .at = check_at(step[QUESTION].op),
               .expected = "the job enqueued first: the question comes when the device is busy");
    lab_relations *relations = check_relations(now->trace);
    const lab_trace_op *waited = lab_relations_waited_by(relations, step[ANSWER].op->id),
                       *held = lab_relations_waited_by(relations, step[FIRST_OF_JOB].op->id);
    if (held && !held->host_waits) held = NULL; /* a question in passing */
    CHECK_THAT(waited && waited < now->span.ends, CHECK_RACE_SUSPECTED,
               "lab09_ask returns before the answer is sure to be there", .at = check_at(step[ANSWER].op),
               .cause = "this copy is enqueued, and nothing waits for its stream");
    CHECK_THAT(!held || held > now->span.ends, CHECK_RULE, "lab09_ask waits for the job", .at = check_at(held),
               .expected = "a wait for the urgent stream alone",
               .cause = "this call waits for the job too, which the answer does not need");
}

CHECK(question_is_not_held_up, .points = 10, .any_order = true,
      .title = "Task 3: the question does not wait for the long job",
      .hints = {"Task 3: what has to be done when lab09_ask returns, and what has not?",
                "Two streams, no edge between them. The host waits for the urgent one alone; a wait for the device "
                "waits for the job too.",
                "Three times advance on stream[LAB09_BACKGROUND]; mix and lab_array_get_async(work->p, answer, ...) on "
                "stream[LAB09_URGENT]; lab_stream_synchronize(stream[LAB09_URGENT])."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        const lab09_arguments given = {sizes[s], s == SIZES - 1 ? LONG : 0};
        const check_case_run now = check_case_with(&ask, program, &given);
        if (s == SIZES - 1) check_artifact_trace(now.trace, "lab09_ask");
        check_case_keeps_plan(&now);
        check_case_prove(&now);
        check_clean(&now);
    }
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

static check_case_run run_in_turn(check_program *program, int count)
{
    const check_case_run now = check_case_at(&in_turn, program, (size_t)count);
    check_returns_at_once(now.trace, now.span);
    return now;
}

/* What left other numbers in a batch. What no order makes wrong is told by the order, which luck may hide. */
static check_finding explain_batch(const check_case_run *now, int array, size_t element)
{
    enum { COPIED = 1, HOST };
    const float *copied = now->numbers[COPIED] + (size_t)now->row * now->room,
                *made = now->numbers[HOST] + (size_t)now->row * now->room;
    float *host = check_alloc(now->count * sizeof *host);
    bool lacks = false;
    check_case_keeps_plan(now);
    if (array != HOST)
        return (check_finding){.at = check_at(check_writer(now->span, check_pool_block(now->trace, 3 * now->row + 2))),
                               .cause = "v is mix(u, x), and u has what was copied in"};
    check_snapshot(now->program, host, offsetof(lab09_memory, batch_host[now->row]), now->count * sizeof *host);
    for (size_t i = 0; i < now->count; i++) lacks |= isnan(host[i]); /* as before the call */
    if (lacks)
        return (check_finding){.cause =
                                   check_text("not all numbers of batch %d were copied out: how many bytes has the "
                                              "copy?",
                                              now->row)};
    return (check_finding){
        .at = check_at_name("lab09_carry"),
        .expected = check_text("%.6g added to number %zu of batch %d", (double)(made[element] - copied[element]),
                               element, now->row),
        .found = check_text("%.6g added to it", (double)(host[element] - copied[element])),
        .cause = now->row ? "what lab09_carry adds is not the last number that it made of the batch before"
                          : "lab09_carry changes the numbers of the first batch, before which *batch->total is 0"};
}

/* A step of a batch. */
static int add_of_batch(check_plan *plan, int k, const char *what, lab_op_kind kind, uint64_t stream,
                        const lab_trace_op *block, const int *after)
{
    return check_plan_add(plan, (check_step){check_text("%s of batch %d", what, k), kind, stream, block, NULL, NULL},
                          after);
}

/* The copies of the batch must go to batch->host and come from there. */
static void check_host_address(const check_case_run *now, const check_step *copy, int k)
{
    const uint64_t host = check_address(now->program) + offsetof(lab09_memory, batch_host[k]);
    CHECK_THAT(check_host_access(copy->op).address == host, CHECK_RULE,
               check_text("lab09_in_turn does not use batch->host for the %s", copy->name), .at = check_at(copy->op),
               .expected = check_text("%s: batch->host", copy->name), .found = "other memory of the host");
}

/* The work of each batch. */
static void keeps_turns(const check_case_run *now)
{
    check_plan plan = check_case_plan(now);
    int turn = -1, last[2] = {-1, -1};
    for (int k = 0; k < LAB09_BATCHES; k++) {
        const lab_trace_op *u = check_pool_block(now->trace, 3 * k + 1), *v = check_pool_block(now->trace, 3 * k + 2);
        const uint64_t stream = plan.stream[k % 2].id;
        const int kernel = add_of_batch(&plan, k, "u", LAB_OP_KERNEL, stream, u, AFTER(last[k % 2])),
                  out = add_of_batch(&plan, k, "copy out", LAB_OP_COPY_DTOH, stream, u, AFTER(kernel));
        turn = add_of_batch(&plan, k, "host function", LAB_OP_HOST_FUNCTION, stream, NULL, AFTER(out, turn));
        const int in = add_of_batch(&plan, k, "copy in", LAB_OP_COPY_HTOD, stream, u, AFTER(turn));
        last[k % 2] = add_of_batch(&plan, k, "v", LAB_OP_KERNEL, stream, v, AFTER(in));
    }
    check_plan_find(&plan);
    check_plan_edges(&plan, NULL);
    for (int k = 0; k < LAB09_BATCHES; k++) {
        check_host_address(now, &plan.step[5 * k + 1], k);
        check_host_address(now, &plan.step[5 * k + 3], k);
    }
}

CHECK(host_functions_in_order, .points = 15, .any_order = true,
      .title = "Task 4: host functions in the order of the batches",
      .hints = {"Task 4: batches 0 and 1 are on two streams. What makes the second host function wait for the first?",
                "A host function is work on its stream, as a kernel is: an event recorded behind it stands for it. The "
                "next batch's stream waits for that event right before its own host function, not earlier.",
                "For each batch: advance, lab_array_get_async, lab_stream_wait_event, lab_stream_launch_host_func("
                "batch->stream, lab09_carry, batch), lab_event_record, lab_array_set_async, mix."})
{
    const int counts[] = {1, check_draw(129, 900), LAB09_BATCH_MOST};
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < 3; s++) {
        const check_case_run now = run_in_turn(program, counts[s]);
        if (s == 2) check_artifact_trace(now.trace, "lab09_in_turn");
        check_case_keeps_plan(&now);
        check_case_prove(&now);
        check_clean(&now);
    }
    /* Whether what a host function is given is still there when it runs is luck in the calls above. */
    const check_case_run late = run_in_turn(check_start_unkind(sizeof(lab09_memory)), few());
    check_case_prove(&late);
}

CHECK(host_functions_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Task 4: right in every order that the rules allow",
      .hints = {
          "A host function runs when the device comes to it, long after your loop has gone on. What does it find?",
          "It finds the batch that you gave it as `user`, if that is still there. It waits for what is before it "
          "on its stream, and for the events that its stream waits for.",
          "Give it batch, which is &work->batch[k] and outlives the call, and no variable of your function."})
{
    const check_case_run now = run_in_turn(NULL, few());
    check_case_prove(&now);
}

CHECK(no_call_in_a_host_function, .points = 5, .after = "host_functions_in_order",
      .title = "Task 4: a host function calls nothing of the library",
      .hints = {"Task 4: which calls does lab09_carry make?",
                "The device waits for the host function. If that waits for the device, neither goes on, so the library "
                "refuses every call there.",
                "lab09_carry needs a loop and an assignment. The copy back is enqueued behind it, in lab09_in_turn."})
{
    const check_case_run now = run_in_turn(NULL, few());
    const char *refused = check_failure(now.program, LAB_ERROR_NOT_PERMITTED).message;
    CHECK_THAT(!refused, CHECK_RULE, "lab09_carry calls the library", .at = check_at_name("lab09_carry"),
               .expected = "no call of the library in lab09_carry",
               .found = check_text("a call that was refused: %s", refused));
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5,
      .after = "kernels_run_at_once, sync_point_orders_one_pair, edges_and_no_other, host_functions_in_order",
      .hints = {[2] = "LAB_TRY around each call of the six functions; the last may be what you return."})
{
    const lab09_arguments given = {.count = check_draw(1, 1200), .steps = check_draw(2, 9)};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab09_at_once", "lab09_in_order", "lab09_branches",
                                                                 "lab09_open_streams", "lab09_ask", "lab09_in_turn"),
                                    CHECK_GIVEN(given),
                                    .memory_bytes = sizeof(lab09_memory),
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
