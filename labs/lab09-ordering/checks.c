/* The checks of lab 09: the numbers, and from the record which operations wait for which, what priority the streams
 * have, and where the host functions stand. */
#include "check.h"
#include "lab09.h"
#include "plan.h"
#include "shared.h"

#include <math.h>
#include <string.h>

CHECK_LAB("lab09", "Ordering");

/* ------------------------------------------------------------------------------------------------------
 * Calls
 */

enum { U, V, P, Q, R, BLOCK_OF_U = 2 }; /* of the results; the inputs x and y are the first blocks */
static const char *const result_name[] = {"u", "v", "p", "q", "r"};

/* One call: its inputs, what must come out, and its record. */
typedef struct call {
    check_program *program;
    const char *function;
    lab09_arguments given;
    float *x, *y, *expected[LAB09_RESULTS]; /* NULL: the call does not compute this result */
    check_passage passage[2 * LAB09_BATCHES];
    size_t passages;
    const lab_trace *trace;
    check_span span;
    uint64_t stream[LAB09_STREAMS];
} call;

/* What the kernels make of these numbers. */
static float *advanced(const call *now, const float *from)
{
    float *to = check_alloc((size_t)now->given.count * sizeof *to);
    for (int i = 0; i < now->given.count; i++) {
        to[i] = from[i];
        for (int step = 0; step < now->given.steps; step++) to[i] = 3.9f * to[i] * (1.0f - to[i]);
    }
    return to;
}

static float *mixed(const call *now, const float *a, const float *b)
{
    float *to = check_alloc((size_t)now->given.count * sizeof *to);
    for (int i = 0; i < now->given.count; i++) to[i] = 0.5f * a[i] + 0.25f * b[i];
    return to;
}

static float *new_numbers(const call *now)
{
    static uint64_t arrays;
    float *made = check_alloc((size_t)now->given.count * sizeof *made);
    check_random_floats(made, (size_t)now->given.count, ++arrays, 0.1f, 0.9f);
    return made;
}

static call make_call(check_program *program, const char *function, int count, int steps)
{
    call made = {.program = program, .function = function, .given = {count, steps}};
    made.x = new_numbers(&made);
    made.y = new_numbers(&made);
    return made;
}

/* Adds a passage whose output must be the expected numbers and come from these inputs; `b` may be NULL. */
static void add_passage(call *now, const char *what, const float *output, const float *a, const float *b)
{
    const size_t bytes = (size_t)now->given.count * sizeof(float);
    now->passage[now->passages++] = (check_passage){.what = what,
                                                    .output = {output, bytes},
                                                    .input = {{a, bytes}, {b, b ? bytes : 0}},
                                                    .argument = {{"steps", now->given.steps}}};
}

/* Reads the record of a call that has ended. The function may not have waited for the device. */
static void read_record(call *now, int streams, bool waits)
{
    static const char *const mark[] = LAB09_MARKS;
    now->trace = check_trace(now->program);
    now->span = check_between(now->trace, LAB09_BEGINS, LAB09_ENDS, now->function);
    for (int i = 0; i < streams; i++) now->stream[i] = check_mark(now->trace, mark[i])->stream;
    if (!waits) check_returns_at_once(now->trace, now->span);
}

/* Fails the check unless these numbers are the expected ones; `why` has the place and the cause, as far as they are
 * known. */
static void check_numbers(const call *now, const char *what, const float *expected, size_t offset, check_finding why)
{
    const size_t count = (size_t)now->given.count, bytes = count * sizeof(float);
    float *found = check_alloc(bytes);
    check_difference difference = {0};
    check_snapshot(now->program, found, offset, bytes);
    check_compare_floats(&difference, 0, expected, found, count);
    if (!difference.count) return;
    why = check_explain_calls(now->program, now->span, why);
    why.message = check_text("%s leaves wrong numbers in %s", now->function, what);
    check_fail_if_different(&difference, why);
}

/* The kernel that wrote the block last in the call. Without one, the last operation of the call is the place. */
static check_place place_of_writer(const call *now, const lab_trace_op *block)
{
    const lab_trace_op *last = NULL, *writer = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op)) continue;
        last = op;
        if (op->kind == LAB_OP_KERNEL && check_writes_block(op, block)) writer = op;
    }
    return check_at(writer ? writer : last);
}

/* Compares the results for which something is expected. Without an order the numbers are luck. */
static void check_results(const call *now)
{
    for (int i = 0; i < LAB09_RESULTS; i++) {
        if (!now->expected[i]) continue;
        check_numbers(now, result_name[i], now->expected[i], offsetof(lab09_memory, result[i]),
                      (check_finding){.at = place_of_writer(now, check_pool_block(now->trace, BLOCK_OF_U + i)),
                                      .cause = check_unordered(now->program)});
    }
}

/* Proves that the outputs are right, and came from the inputs by way of the kernels: a host function could compute them
 * too. */
static void prove_flow(const call *now)
{
    check_results(now);
    check_flow(
        now->program, now->trace,
        &(check_way){.function = now->function,
                     .passage = now->passage,
                     .passages = now->passages,
                     .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, "
                                               "int steps)"},
                                {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], "
                                               "int count)"}}});
}

/* Proves also that everything was in order, and that no event was left. */
static void prove(const call *now)
{
    const char *unordered = check_unordered(now->program);
    prove_flow(now);
    CHECK_THAT(!unordered, CHECK_RACE_SUSPECTED, unordered);
    check_keeps_nothing(now->trace, now->span);
}

/* Calls the function. */
static void run(call *now, int streams, bool waits)
{
    lab09_memory *memory = check_memory(now->program);
    const size_t bytes = (size_t)now->given.count * sizeof(float);
    check_trace_begin(now->program);
    memcpy(memory->x, now->x, bytes);
    memcpy(memory->y, now->y, bytes);
    for (int i = 0; i < LAB09_RESULTS; i++) check_poison(now->program, offsetof(lab09_memory, result[i]), bytes);
    check_poison(now->program, offsetof(lab09_memory, answer), bytes);
    check_call(now->program, now->function, &now->given, sizeof now->given, NULL, 0);
    read_record(now, streams, waits);
}

/* ------------------------------------------------------------------------------------------------------
 * Plans
 */

/* The plan of a call on `one` and `two`, without steps. */
static check_plan plan_of(const call *now)
{
    return (check_plan){.program = now->program,
                        .trace = now->trace,
                        .span = now->span,
                        .threads = 128,
                        .stream = {{now->stream[0], "`one`"}, {now->stream[1], "`two`"}}};
}

/* A kernel that writes this result. */
static int add_kernel(check_plan *plan, int result, uint64_t stream, const int *after)
{
    return check_plan_add(plan,
                          (check_step){.name = result_name[result],
                                       .kind = LAB_OP_KERNEL,
                                       .stream = stream,
                                       .block = check_pool_block(plan->trace, BLOCK_OF_U + result)},
                          after);
}

static void check_planned(check_plan *plan)
{
    check_plan_find(plan);
    check_plan_edges(plan, NULL);
}

/* ------------------------------------------------------------------------------------------------------
 * Tasks 1 and 2
 */

static call at_once(check_program *program, int count, int steps)
{
    call now = make_call(program, "lab09_at_once", count, steps);
    now.expected[U] = advanced(&now, now.x);
    now.expected[V] = mixed(&now, now.x, now.y);
    add_passage(&now, "u", now.expected[U], now.x, NULL);
    add_passage(&now, "v", now.expected[V], now.x, now.y);
    run(&now, 2, false);
    return now;
}

static call in_order(check_program *program, int count, int steps)
{
    call now = make_call(program, "lab09_in_order", count, steps);
    now.expected[U] = advanced(&now, now.x);
    now.expected[V] = advanced(&now, now.y);
    now.expected[P] = mixed(&now, now.expected[U], now.y);
    add_passage(&now, "u", now.expected[U], now.x, NULL);
    add_passage(&now, "v", now.expected[V], now.y, NULL);
    add_passage(&now, "p", now.expected[P], now.x, now.y);
    run(&now, 2, false);
    return now;
}

static call branches(check_program *program, int count, int steps)
{
    call now = make_call(program, "lab09_branches", count, steps);
    now.expected[U] = advanced(&now, now.x);
    now.expected[V] = advanced(&now, now.y);
    now.expected[P] = mixed(&now, now.expected[U], now.expected[V]);
    now.expected[Q] = advanced(&now, now.expected[U]);
    now.expected[R] = mixed(&now, now.expected[P], now.expected[Q]);
    add_passage(&now, "u", now.expected[U], now.x, NULL);
    add_passage(&now, "v", now.expected[V], now.y, NULL);
    add_passage(&now, "p", now.expected[P], now.x, now.y);
    add_passage(&now, "q", now.expected[Q], now.x, NULL);
    add_passage(&now, "r", now.expected[R], now.x, now.y);
    run(&now, 2, false);
    return now;
}

static const int sizes[] = {1, 127, 128, 129, LAB09_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes, LONG = 2000 };

static int few(void) { return check_draw(800, 1200); }

CHECK(kernels_run_at_once, .points = 10, .title = "Task 1: two kernels that nothing orders",
      .hints = {"Task 1: what would make the second kernel wait for the first?",
                "A stream keeps its own order, and only that. Two streams, one launch on each, no wait.",
                "advance(work, work->u, work->x, work->one), then mix(...) into work->v on work->two; LAB_TRY around "
                "each."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        const call now = at_once(program, sizes[s], s == SIZES - 1 ? LONG : 5);
        check_plan plan = plan_of(&now);
        if (s == SIZES - 1) check_artifact_trace(now.trace, "lab09_at_once");
        add_kernel(&plan, U, now.stream[0], AFTER());
        add_kernel(&plan, V, now.stream[1], AFTER());
        check_planned(&plan);
        prove(&now);
    }
}

/* What no edge orders is told by the edge, here and in the checks of its kind below. */
CHECK(sync_point_orders_one_pair, .points = 15, .any_order = true, .title = "Task 2: one sync point orders one pair",
      .hints = {"Task 2: what has been enqueued on `one` when your event is recorded?",
                "An event stands for all work that is on its stream when it is recorded. Record it between the two "
                "kernels of `one`, and let `two` wait for it.",
                "advance into u; lab_event_record(u_done, work->one); advance into v; lab_stream_wait_event(work->two, "
                "u_done); mix into p on work->two; destroy the event."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        const call now = in_order(program, sizes[s], s == SIZES - 1 ? LONG : 5);
        check_plan plan = plan_of(&now);
        if (s == SIZES - 1) check_artifact_trace(now.trace, "lab09_in_order");
        const int u = add_kernel(&plan, U, now.stream[0], AFTER());
        add_kernel(&plan, V, now.stream[0], AFTER(u));
        add_kernel(&plan, P, now.stream[1], AFTER(u));
        check_planned(&plan);
        prove(&now);
    }
}

CHECK(edges_and_no_other, .points = 15, .any_order = true,
      .title = "Task 2: five kernels, the edges of the drawing and no other",
      .hints = {"Task 2: draw the five kernels on two lines, one for each stream. Which edges lie along a line?",
                "u, q and r fit on one stream, v and p on the other. Two edges remain, so two events. Each is recorded "
                "right behind the kernel that it stands for, and waited for right before the one that needs it.",
                "one: u, record u_done, q, wait for p_done, r. two: v, wait for u_done, p, record p_done. Each record "
                "is called before its wait."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        const call now = branches(program, sizes[s], s == SIZES - 1 ? LONG : 5);
        check_plan plan = plan_of(&now);
        if (s == SIZES - 1) check_artifact_trace(now.trace, "lab09_branches");
        const int u = add_kernel(&plan, U, 0, AFTER()), v = add_kernel(&plan, V, 0, AFTER()),
                  p = add_kernel(&plan, P, 0, AFTER(u, v)), q = add_kernel(&plan, Q, 0, AFTER(u));
        add_kernel(&plan, R, 0, AFTER(p, q));
        check_planned(&plan);
        prove(&now);
    }
}

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Tasks 1 and 2: right in every order that the rules allow",
      .hints = {"The device may run what nothing orders in any order. Which of your kernels reads another's result?",
                "Right numbers on a quiet machine prove nothing. Each kernel that reads a result of the other stream "
                "needs an event before it.",
                "Record after the kernel that writes, wait before the kernel that reads, and record first."})
{
    check_program *program = check_start(sizeof(lab09_memory));
    call (*const calls[])(check_program * program, int count, int steps) = {at_once, in_order, branches};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        const call now = calls[i](program, few(), 5);
        prove_flow(&now);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3
 */

/* One call of the program's. */
static void check_priorities(check_program *program)
{
    static const char *const word[] = {"urgent", "normal", "background"};
    lab09_priorities range;
    call now = {.program = program, .function = "lab09_open_streams"};
    check_trace_begin(now.program);
    check_call(now.program, now.function, NULL, 0, NULL, 0);
    check_call(check_start_reference(0), "ask_priorities", NULL, 0, &range, sizeof range);
    read_record(&now, LAB09_STREAMS, false);
    const int wanted[] = {range.greatest, range.least - (range.least - range.greatest) / 2, range.least};
    int made = 0;
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++) {
        made += op->kind == LAB_OP_STREAM_CREATE;
        made -= op->kind == LAB_OP_STREAM_DESTROY;
    }
    CHECK_THAT(made == LAB09_STREAMS, CHECK_RULE,
               check_text("lab09_open_streams does not make %d streams", LAB09_STREAMS),
               .expected = check_text("%d streams", LAB09_STREAMS), .found = check_text("%d", made));
    for (int i = 0; i < LAB09_STREAMS; i++) {
        const lab_trace_op *creation = NULL;
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
            if (op->kind == LAB_OP_STREAM_CREATE && op->stream == now.stream[i]) creation = op;
        CHECK_THAT(creation, CHECK_RULE, check_text("lab09_open_streams makes no %s stream", word[i]),
                   .expected = "a stream of its own for each place");
        const lab_trace_stream *stream = check_stream(now.trace, now.stream[i]);
        CHECK_THAT(stream->non_blocking, CHECK_RULE, check_text("the %s stream is blocking", word[i]),
                   .at = check_at(creation), .expected = check_text("the %s stream: non-blocking", word[i]),
                   .found = "a blocking stream");
        CHECK_THAT(stream->priority == wanted[i], CHECK_RULE, check_text("the %s stream has another priority", word[i]),
                   .at = check_at(creation),
                   .expected = check_text("the %s stream: priority %d, on a device with %d to %d", word[i], wanted[i],
                                          range.greatest, range.least),
                   .found = check_text("priority %d", stream->priority),
                   .cause = "a lower number is a higher priority, and each device has a range of its own: "
                            "lab_stream_priority_range gives it");
    }
    for (int i = 1; i < LAB09_STREAMS; i++)
        CHECK_THAT(now.stream[i] != now.stream[0] && now.stream[1] != now.stream[2], CHECK_RULE,
                   "lab09_open_streams puts one stream into two places");
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

CHECK(question_is_not_held_up, .points = 10, .any_order = true,
      .title = "Task 3: the question does not wait for the long job",
      .hints = {"Task 3: what has to be done when lab09_ask returns, and what has not?",
                "Two streams, no edge between them. The host waits for the urgent one alone; a wait for the device "
                "waits for the job too.",
                "Three times advance on stream[LAB09_BACKGROUND]; mix and lab_array_get_async(work->p, answer, ...) on "
                "stream[LAB09_URGENT]; lab_stream_synchronize(stream[LAB09_URGENT])."})
{
    static const int from[] = {U, V, Q};
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < SIZES; s++) {
        int job = -1;
        call now = make_call(program, "lab09_ask", sizes[s], s == SIZES - 1 ? LONG : 5);
        now.expected[U] = advanced(&now, now.x);
        now.expected[V] = advanced(&now, now.expected[U]);
        now.expected[Q] = advanced(&now, now.expected[V]);
        now.expected[P] = mixed(&now, now.x, now.y);
        add_passage(&now, "the job's result", now.expected[Q], now.x, NULL);
        add_passage(&now, "the answer", now.expected[P], now.x, now.y);
        run(&now, LAB09_STREAMS, true);
        if (s == SIZES - 1) check_artifact_trace(now.trace, "lab09_ask");
        const uint64_t urgent = now.stream[LAB09_URGENT];
        check_plan plan = plan_of(&now);
        static const char *const stream_name[] = {"the urgent stream", "the normal stream", "the background stream"};
        for (int i = 0; i < LAB09_STREAMS; i++) {
            plan.stream[i].id = now.stream[i];
            plan.stream[i].name = stream_name[i];
        }
        for (int i = 0; i < 3; i++)
            job = add_kernel(&plan, from[i], now.stream[LAB09_BACKGROUND], i ? AFTER(job) : AFTER());
        const int p = add_kernel(&plan, P, urgent, AFTER());
        check_plan_add(
            &plan,
            (check_step){"the answer", LAB_OP_COPY_DTOH, urgent, check_pool_block(now.trace, BLOCK_OF_U + P), NULL},
            AFTER(p));
        check_planned(&plan);
        const check_step *last = &plan.step[job], *question = &plan.step[p], *answer = &plan.step[p + 1];
        CHECK_THAT(last->op < question->op, CHECK_RULE, "lab09_ask enqueues the question before the job",
                   .at = check_at(question->op),
                   .expected = "the job enqueued first: the question comes when the device is busy");
        lab_relations *relations = check_relations(now.trace);
        const lab_trace_op *waited = lab_relations_waited_by(relations, answer->op->id),
                           *held = lab_relations_waited_by(relations, plan.step[0].op->id);
        if (held && !held->host_waits) held = NULL; /* a question in passing */
        CHECK_THAT(waited && waited < now.span.ends, CHECK_RACE_SUSPECTED,
                   "lab09_ask returns before the answer is sure to be there", .at = check_at(answer->op),
                   .cause = "this copy is enqueued, and nothing waits for its stream");
        CHECK_THAT(!held || held > now.span.ends, CHECK_RULE, "lab09_ask waits for the job", .at = check_at(held),
                   .expected = "a wait for the urgent stream alone",
                   .cause = "this call waits for the job too, which the answer does not need");
        check_numbers(&now, "answer", now.expected[P], offsetof(lab09_memory, answer),
                      (check_finding){.at = check_at(answer->op)});
        prove(&now);
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Task 4
 */

/* The numbers of one call of lab09_in_turn. */
typedef struct series {
    float *x[LAB09_BATCHES], *raw[LAB09_BATCHES], *carried[LAB09_BATCHES], *v[LAB09_BATCHES];
} series;

static call in_turn(series *made, check_program *program, int count)
{
    call now = {.program = program, .function = "lab09_in_turn", .given = {count, LAB09_BATCHES + 2}};
    lab09_memory *memory = check_memory(program);
    const size_t bytes = (size_t)count * sizeof(float);
    series all;
    float total = 0;
    check_trace_begin(program);
    for (int k = 0; k < LAB09_BATCHES; k++) {
        all.x[k] = new_numbers(&now);
        all.raw[k] = advanced(&now, all.x[k]);
        all.carried[k] = check_alloc(bytes);
        for (int i = 0; i < count; i++) all.carried[k][i] = all.raw[k][i] + total;
        total = all.carried[k][count - 1];
        all.v[k] = mixed(&now, all.carried[k], all.x[k]);
        add_passage(&now, "the numbers for the host", all.raw[k], all.x[k], NULL);
        add_passage(&now, "v", all.v[k], all.carried[k], all.x[k]);
        memcpy(memory->batch_x[k], all.x[k], bytes);
        check_poison(program, offsetof(lab09_memory, batch_host[k]), bytes);
        check_poison(program, offsetof(lab09_memory, batch_v[k]), bytes);
    }
    check_call(program, now.function, &now.given, sizeof now.given, NULL, 0);
    read_record(&now, 2, false);
    *made = all;
    return now;
}

/* The first host function that does not wait for the one before. */
static const lab_trace_op *early_host_function(const call *now, const lab_trace_op **before)
{
    const lab_trace_op *early = NULL;
    lab_relations *relations = check_relations(now->trace);
    *before = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind != LAB_OP_HOST_FUNCTION) continue;
        early = op;
        if (*before && !lab_relations_before(relations, (*before)->id, early->id)) return early;
        *before = early;
    }
    return NULL;
}

/* What left other numbers in batch->host than those that lab09_carry makes. */
static check_finding explain_host(const call *now, const series *all, int k)
{
    const size_t count = (size_t)now->given.count;
    float *host = check_alloc(count * sizeof *host);
    bool lacks = false, same = true;
    check_snapshot(now->program, host, offsetof(lab09_memory, batch_host[k]), count * sizeof *host);
    for (size_t i = 0; i < count; i++) {
        lacks |= isnan(host[i]); /* as before the call */
        same &= host[i] == all->raw[k][i];
    }
    if (lacks)
        return (check_finding){.cause = "not all numbers of the batch were copied out: how many bytes has the copy?"};
    const lab_trace_op *before, *early = early_host_function(now, &before);
    if (early)
        return (check_finding){.at = check_at(early),
                               .earlier = before,
                               .later = early,
                               .cause = "nothing makes this host function wait for that of the batch before, which "
                                        "makes the total that it adds"};
    return (check_finding){
        .at = check_at_name("lab09_carry"),
        .cause = same ? "lab09_carry has added nothing: is this batch its user, and does it change every number?"
                      : "lab09_carry adds *batch->total, the last number that it made of the batch before; each batch "
                        "is the user of one call"};
}

static void check_series(const call *now, const series *all)
{
    const char *unordered = check_unordered(now->program);
    for (int k = 0; k < LAB09_BATCHES; k++) {
        check_numbers(now, check_text("batch->host of batch %d", k), all->carried[k],
                      offsetof(lab09_memory, batch_host[k]), explain_host(now, all, k));
        check_numbers(now, check_text("v of batch %d", k), all->v[k], offsetof(lab09_memory, batch_v[k]),
                      (check_finding){.at = place_of_writer(now, check_pool_block(now->trace, 3 * k + 2)),
                                      .cause = unordered ? unordered : "v is mix(u, x), and u has what was copied in"});
    }
}

/* A step of a batch. */
static int add_of_batch(check_plan *plan, int k, const char *what, lab_op_kind kind, uint64_t stream,
                        const lab_trace_op *block, const int *after)
{
    return check_plan_add(plan, (check_step){check_text("%s of batch %d", what, k), kind, stream, block, NULL}, after);
}

/* The copies of the batch must go to batch->host and come from there. */
static void check_host_address(const call *now, const check_step *copy, int k)
{
    const uint64_t host = check_address(now->program) + offsetof(lab09_memory, batch_host[k]);
    bool uses = false;
    for (int i = 0; i < copy->op->accesses; i++)
        uses = uses || (copy->op->access[i].host && copy->op->access[i].address == host);
    CHECK_THAT(uses, CHECK_RULE, check_text("lab09_in_turn does not use batch->host for the %s", copy->name),
               .at = check_at(copy->op), .expected = check_text("%s: batch->host", copy->name),
               .found = "other memory of the host");
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
    series all;
    check_program *program = check_start(sizeof(lab09_memory));
    for (int s = 0; s < 3; s++) {
        const call now = in_turn(&all, program, counts[s]);
        check_plan plan = plan_of(&now);
        int turn = -1, last[2] = {-1, -1};
        if (s == 2) check_artifact_trace(now.trace, "lab09_in_turn");
        for (int k = 0; k < LAB09_BATCHES; k++) {
            const lab_trace_op *u = check_pool_block(now.trace, 3 * k + 1), *v = check_pool_block(now.trace, 3 * k + 2);
            const uint64_t stream = now.stream[k % 2];
            const int kernel = add_of_batch(&plan, k, "u", LAB_OP_KERNEL, stream, u, AFTER(last[k % 2])),
                      out = add_of_batch(&plan, k, "copy out", LAB_OP_COPY_DTOH, stream, u, AFTER(kernel));
            turn = add_of_batch(&plan, k, "host function", LAB_OP_HOST_FUNCTION, stream, NULL, AFTER(out, turn));
            const int in = add_of_batch(&plan, k, "copy in", LAB_OP_COPY_HTOD, stream, u, AFTER(turn));
            last[k % 2] = add_of_batch(&plan, k, "v", LAB_OP_KERNEL, stream, v, AFTER(in));
        }
        check_planned(&plan);
        for (int k = 0; k < LAB09_BATCHES; k++) {
            check_host_address(&now, &plan.step[5 * k + 1], k);
            check_host_address(&now, &plan.step[5 * k + 3], k);
        }
        check_series(&now, &all);
        prove(&now);
    }
    /* Whether what a host function is given is still there when it runs is luck in the calls above. */
    const call late = in_turn(&all, check_start_unkind(sizeof(lab09_memory)), few());
    check_series(&late, &all);
    prove_flow(&late);
}

CHECK(host_functions_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Task 4: right in every order that the rules allow",
      .hints = {
          "A host function runs when the device comes to it, long after your loop has gone on. What does it find?",
          "It finds the batch that you gave it as `user`, if that is still there. It waits for what is before it "
          "on its stream, and for the events that its stream waits for.",
          "Give it batch, which is &work->batch[k] and outlives the call, and no variable of your function."})
{
    series all;
    const call now = in_turn(&all, check_start(sizeof(lab09_memory)), few());
    check_series(&now, &all);
    prove_flow(&now);
}

CHECK(no_call_in_a_host_function, .points = 5, .after = "host_functions_in_order",
      .title = "Task 4: a host function calls nothing of the library",
      .hints = {"Task 4: which calls does lab09_carry make?",
                "The device waits for the host function. If that waits for the device, neither goes on, so the library "
                "refuses every call there.",
                "lab09_carry needs a loop and an assignment. The copy back is enqueued behind it, in lab09_in_turn."})
{
    series all;
    const call now = in_turn(&all, check_start(sizeof(lab09_memory)), few());
    const char *refused = check_failure(now.program, LAB_ERROR_NOT_PERMITTED).message;
    CHECK_THAT(!refused, CHECK_RULE, "lab09_carry calls the library", .at = check_at_name("lab09_carry"),
               .expected = "no call of the library in lab09_carry",
               .found = check_text("a call that was refused: %s", refused));
}

/* ------------------------------------------------------------------------------------------------------
 * At the end
 */

CHECK(failures_are_passed_on, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "kernels_run_at_once, sync_point_orders_one_pair, edges_and_no_other, host_functions_in_order",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS("LAB_TRY around each call of the six functions; the last may be what you return."))
{
    const lab09_arguments given = {.count = check_draw(1, 1200), .steps = check_draw(2, 9)};
    check_failures(&(check_failing){.functions = CHECK_FUNCTIONS("lab09_at_once", "lab09_in_order", "lab09_branches",
                                                                 "lab09_open_streams", "lab09_ask", "lab09_in_turn"),
                                    .arguments = &given,
                                    .argument_bytes = sizeof given,
                                    .memory_bytes = sizeof(lab09_memory),
                                    .also = CHECK_FAIL_WAITS,
                                    .at_once = true});
}
