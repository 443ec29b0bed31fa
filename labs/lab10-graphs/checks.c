/* The checks of lab 10: from the record which nodes and edges a graph has, which graph was launched how often and on
 * which stream, and what the launches left in memory; the status of each call that must fail. */
#include "check.h"
#include "lab10.h"
#include "plan.h"
#include "shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CHECK_LAB("lab10", "Graphs");

/* ------------------------------------------------------------------------------------------------------
 * Calls
 */

enum { BLOCK_OF_X, BLOCK_OF_Y, BLOCK_OF_U }; /* the arrays of a call are its first blocks */
static const char *const node_name[] = {"u", "p", "q", "s", "r"};

/* One call: its inputs, and its record. */
typedef struct call {
    check_program *program;
    const char *function;
    lab10_arguments given;
    float *x, *y;
    const lab_trace *trace;
    check_span span;
    uint64_t one, two, other;
} call;

static float *new_numbers(int count)
{
    static uint64_t arrays;
    float *made = check_alloc((size_t)count * sizeof *made);
    check_random_floats(made, (size_t)count, ++arrays, 0.1f, 0.9f);
    return made;
}

static call make_call(check_program *program, const char *function, int count, int rounds)
{
    lab10_memory *memory = check_memory(program);
    call made = {.program = program, .function = function, .given = {.count = count, .rounds = rounds}};
    made.given.steps = 3 + count % 2; /* not the same in all calls */
    const size_t bytes = (size_t)count * sizeof(float);
    made.x = new_numbers(count);
    made.y = new_numbers(count);
    check_trace_begin(program);
    memcpy(memory->x, made.x, bytes);
    memcpy(memory->y, made.y, bytes);
    for (int i = 0; i < LAB10_RESULTS; i++) check_poison(program, offsetof(lab10_memory, result[i]), bytes);
    return made;
}

static float advanced(float value, int steps)
{
    for (int step = 0; step < steps; step++) value = 3.9f * value * (1.0f - value);
    return value;
}

/* What the graph makes of these numbers. */
static void compute(float *out[LAB10_RESULTS], const call *now, const float *x)
{
    const int steps = now->given.steps;
    for (int i = 0; i < now->given.count; i++) {
        out[LAB10_U][i] = advanced(x[i], steps);
        out[LAB10_P][i] = advanced(out[LAB10_U][i], steps);
        out[LAB10_Q][i] = 0.5f * out[LAB10_U][i] + 0.25f * now->y[i];
        out[LAB10_S][i] = advanced(out[LAB10_Q][i], steps);
        out[LAB10_R][i] = 0.5f * out[LAB10_P][i] + 0.25f * out[LAB10_S][i];
    }
}

/* The same, of which only r counts. */
static float *expected_r(const call *now, const float *x)
{
    float *out[LAB10_RESULTS];
    for (int i = 0; i < LAB10_RESULTS; i++) out[i] = check_alloc((size_t)now->given.count * sizeof(float));
    compute(out, now, x);
    return out[LAB10_R];
}

static void read_record(call *now)
{
    static const char *const mark[] = LAB10_MARKS;
    now->trace = check_trace(now->program);
    now->one = check_mark(now->trace, mark[0])->stream;
    now->two = check_mark(now->trace, mark[1])->stream;
    now->other = check_mark(now->trace, mark[2])->stream;
}

/* Calls the function. */
static void run(call *now, lab10_statuses *statuses)
{
    check_call(now->program, now->function, &now->given, sizeof now->given, statuses, statuses ? sizeof *statuses : 0);
    read_record(now);
}

static void find_span(call *now) { now->span = check_between(now->trace, LAB10_BEGINS, LAB10_ENDS, now->function); }

/* Where the call went: the verdict has the lines of its last operation and of its first. */
static check_place place_of_way(const call *now)
{
    const lab_trace_op *first = NULL, *last = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (check_is_note(op)) continue;
        if (!first) first = op;
        last = op;
    }
    return last ? check_at_after(last, first) : check_at_name(now->function);
}

/* Fails the check if the call runs work. */
static void check_runs_nothing(const call *now)
{
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (!check_is_work(op)) continue;
        check_fail(CHECK_RULE, check_text("%s runs work instead of capturing it", now->function), .at = check_at(op),
                   .expected = "no work: a capture runs nothing",
                   .found = check_text("%s %s on stream %llu", lab_op_kind_name(op->kind), op->name,
                                       (unsigned long long)op->stream),
                   .cause = "this stream does not capture: it has waited for no event of the capture before");
    }
}

/* The kernels are launched with LAB10_BLOCK. That the grid is large enough, the numbers show. */
static void check_block(const call *now, const lab_trace_op *op)
{
    enum { THREADS = 128 };
    CHECK_THAT(op->block.x == THREADS && op->block.y * op->block.z == 1, CHECK_RULE,
               check_text("%s launches %s with blocks of another size", now->function, op->name), .at = check_at(op),
               .expected = check_text("blocks of %d threads", THREADS),
               .found = check_text("blocks of %u", op->block.x * op->block.y * op->block.z));
}

/* Fails the check if one of the streams could not be used after the call; `cause` is why it then captures. */
static void check_streams_are_free(const call *now, check_place at, const char *cause)
{
    const uint64_t stream[] = {now->one, now->two, now->other};
    for (int i = 0; i < LAB10_STREAMS; i++) {
        bool used = false;
        for (const lab_trace_op *op = now->span.ends; op < now->trace->op + now->trace->ops; op++)
            used = used || (op->kind == LAB_OP_KERNEL && op->stream == stream[i]);
        CHECK_THAT(used, CHECK_RULE, check_text("%s leaves a stream capturing", now->function), .at = at,
                   .expected = "streams that can be used again", .found = "a stream that still captures",
                   .cause = cause);
    }
}

/* Proves that the outputs came from the inputs by way of the kernels, and that nothing was left. */
static void prove(const call *now, const check_passage *passage, size_t passages)
{
    check_flow(
        now->program, now->trace,
        &(check_way){.function = now->function,
                     .passage = passage,
                     .passages = passages,
                     .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, "
                                               "int steps)"},
                                {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], "
                                               "int count)"}}});
}

static check_passage passage_of(const call *now, const char *what, const float *output, const float *x)
{
    const size_t bytes = (size_t)now->given.count * sizeof(float);
    return (check_passage){.what = what,
                           .output = {output, bytes},
                           .input = {{x, bytes}, {now->y, bytes}},
                           .argument = {{"steps", now->given.steps}}};
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

/* The plan of the graph that the call captured: the five kernels of the lesson's drawing. */
static check_plan find_graph(const call *now)
{
    static const struct {
        int after[2];
        bool on_two;
    } wanted[] = {[LAB10_U] = {{-1, -1}, false},
                  [LAB10_P] = {{LAB10_U, -1}, false},
                  [LAB10_Q] = {{LAB10_U, -1}, true},
                  [LAB10_S] = {{LAB10_Q, -1}, true},
                  [LAB10_R] = {{LAB10_P, LAB10_S}, false}};
    const lab_trace_op *made = NULL;
    check_runs_nothing(now);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (op->kind == LAB_OP_GRAPH_CREATE) made = op;
    CHECK_THAT(made, CHECK_RULE, "lab10_record makes no graph", .at = check_at_name("lab10_record"),
               .cause = "lab10_record is not written yet: it captures nothing");
    check_plan plan = {.program = now->program,
                       .trace = now->trace,
                       .span = now->span,
                       .graph = made->object,
                       .threads = 128,
                       .stream = {{now->one, "`one`"}, {now->two, "`two`"}}};
    for (int i = 0; i < LAB10_NODES; i++)
        check_plan_add(&plan,
                       (check_step){.name = node_name[i],
                                    .kind = LAB_OP_GRAPH_NODE,
                                    .stream = wanted[i].on_two ? now->two : now->one,
                                    .block = check_pool_block(now->trace, BLOCK_OF_U + i)},
                       AFTER(wanted[i].after[0], wanted[i].after[1]));
    check_plan_find(&plan);
    return plan;
}

/* Fails the check if more graphs were made than lab10_record hands out, or an executable one is left. */
static void check_one_graph(const call *now)
{
    lab_lifetime *life;
    size_t lives, kept = 0;
    const lab_trace_op *extra = NULL;
    if (lab_trace_lifetimes(&life, &lives, now->trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    for (size_t i = 0; i < lives; i++) {
        if (life[i].made < now->span.begins || life[i].made > now->span.ends) continue;
        if (life[i].ended && life[i].ended < now->span.ends) continue;
        if (strcmp(life[i].noun, "graph") != 0 || kept++) extra = life[i].made;
    }
    free(life);
    CHECK_THAT(!extra, CHECK_LEAK, "lab10_record leaves something behind", .at = check_at(extra),
               .expected = "nothing left but the graph, which is the caller's");
}

/* Fails the check unless the graph, launched once, computes all results, from the inputs. The graph that was found, if
 * it is known, says at which line. */
static void check_results(const call *now, const check_plan *captured)
{
    const size_t count = (size_t)now->given.count, bytes = count * sizeof(float);
    float *expected[LAB10_RESULTS], *found = check_alloc(bytes);
    check_passage passage[LAB10_RESULTS];
    for (int i = 0; i < LAB10_RESULTS; i++) expected[i] = check_alloc(bytes);
    compute(expected, now, now->x);
    for (int i = 0; i < LAB10_RESULTS; i++) {
        check_difference difference = {.input = now->x};
        check_snapshot(now->program, found, offsetof(lab10_memory, result[i]), bytes);
        check_compare_floats(&difference, 0, expected[i], found, count);
        check_equal(&difference, check_text("the graph of lab10_record leaves wrong numbers in %s", node_name[i]),
                    .at = check_at(captured ? captured->step[i].op : NULL));
        passage[i] = passage_of(now, node_name[i], expected[i], now->x);
        if (i == LAB10_U || i == LAB10_P) passage[i].input[1] = (check_bytes){NULL, 0};
    }
    prove(now, passage, LAB10_RESULTS);
}

static const int sizes[] = {1, 127, 129, LAB10_MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int few(void) { return check_draw(250, 350); }

/* What no edge orders is told by the edge. */
CHECK(graph_is_the_one_asked_for, .points = 20, .any_order = true,
      .title = "Task 1: the captured graph is the one of the drawing",
      .hints = {"Task 1: which stream captures, and from which call on? Draw the five kernels on two lines.",
                "`two` captures from the moment at which it waits for an event that was recorded in the capture. "
                "An event stands for all that is on its stream when it is recorded.",
                "u, record forked on `one`, `two` waits for it; p; q and s on `two`, record joined there, `one` waits "
                "for it; r. In lab10_record: begin on `one`, lab10_enqueue, end on `one`."})
{
    check_program *program = check_start(sizeof(lab10_memory));
    for (int s = 0; s < SIZES; s++) {
        call now = make_call(program, "lab10_record", sizes[s], 0);
        run(&now, NULL);
        find_span(&now);
        check_returns_at_once(now.trace, now.span);
        const check_plan plan = find_graph(&now);
        check_plan_edges(&plan, "lab10_record");
        check_results(&now, &plan);
        check_one_graph(&now);
        const char *unordered = check_unordered(program);
        CHECK_THAT(!unordered, CHECK_RACE_SUSPECTED, unordered);
    }
}

/* A failure of lab10_record: the beginning fails, or a launch. */
static void check_failed_record(check_program *program, bool null, lab_status wanted)
{
    lab10_statuses got;
    call now = make_call(program, "lab10_record with a fault", few(), 0);
    now.given.null = null;
    run(&now, &got);
    now.function = "lab10_record";
    find_span(&now);
    check_returns_at_once(now.trace, now.span);
    CHECK_THAT(got.status[0] == (int)wanted, CHECK_RULE, "lab10_record hides the failure of a call",
               .at = check_at_name("end of lab10_record"),
               .expected = check_text("%s, the status of the %s that failed", lab_status_name(wanted),
                                      null ? "beginning" : "launch"),
               .found = lab_status_name((lab_status)got.status[0]));
    check_streams_are_free(&now, check_at_name("end of lab10_record"),
                           "the function left between the beginning of the capture and its end, for a call "
                           "failed");
    CHECK_THAT(!got.status[1], CHECK_RULE, "lab10_record fails, and hands out a graph",
               .at = check_at_name("end of lab10_record"), .expected = "*out is NULL");
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        if (op->kind == LAB_OP_GRAPH_CREATE) check_given_back(now.trace, "graph", NULL, NULL);
}

CHECK(failed_capture_is_ended, .points = 5, .after = "graph_is_the_one_asked_for",
      .title = "Task 1: a capture that fails is ended all the same",
      .hints = {"Task 1: a launch in the middle of the capture fails. In which state is stream `one` when you return?",
                "LAB_TRY leaves the function at once, and the stream goes on capturing. Keep the status, end the "
                "capture, then return the status.",
                "status = lab10_enqueue(work), ended = lab_stream_end_capture(out, work->one). If status is a failure: "
                "lab_graph_destroy(*out), *out = NULL, return status."})
{
    check_program *program = check_start(sizeof(lab10_memory));
    check_failed_record(program, false, LAB_ERROR_INVALID_HANDLE);
    check_failed_record(program, true, LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 2
 */

/* What a replay may enqueue in each round. */
typedef struct share {
    lab_op_kind kind;
    const char *what;
    int count;
} share;

/* Fails the check unless the call instantiated the graph once, and enqueued this on the other stream, for each round as
 * often as the list says, and nothing else. */
static void check_rounds(const call *now, share *wanted, int kinds)
{
    int instantiated = 0;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        share *found = NULL;
        for (int i = 0; i < kinds; i++)
            if (op->kind == wanted[i].kind) found = &wanted[i];
        CHECK_THAT(
            op->kind != LAB_OP_EXEC_CREATE || !instantiated++, CHECK_RULE,
            check_text("%s instantiates a graph again", now->function), .at = check_at(op),
            .expected = check_text("the graph instantiated once, and launched %d times", now->given.rounds),
            .cause =
                "an executable graph is launched as often as you like; to prepare it costs more than to launch it");
        if (op->kind == LAB_OP_GRAPH_CREATE)
            check_fail(CHECK_RULE, check_text("%s captures a graph of its own", now->function));
        if (!check_is_work(op)) continue;
        CHECK_THAT(found, CHECK_RULE, check_text("%s enqueues what lab10.h does not ask for", now->function),
                   .at = check_at(op),
                   .expected = check_text("on the stream `other`: %s%s", wanted[0].what,
                                          kinds > 1 ? ", copies in and out" : ""),
                   .found = check_text("%s %s on stream %llu", lab_op_kind_name(op->kind), op->name,
                                       (unsigned long long)op->stream),
                   .cause = op->kind == LAB_OP_COPY_DTOD
                                ? "this moves the numbers to where the graph looks; lab_graph_exec_update_kernel tells "
                                  "the graph where they are"
                                : NULL);
        CHECK_THAT(op->stream == now->other, CHECK_RULE, check_text("%s uses another stream", now->function),
                   .at = check_at(op),
                   .cause = "a graph may be launched on any stream, not only where it was captured");
        found->count++;
    }
    for (int i = 0; i < kinds; i++) {
        CHECK_THAT(
            wanted[i].count == now->given.rounds, CHECK_RULE,
            check_text("%s: the number of %s is not that of the rounds", now->function, wanted[i].what),
            .at = place_of_way(now), .expected = check_text("%d %s, one a round", now->given.rounds, wanted[i].what),
            .found = check_text("%d", wanted[i].count),
            .cause = wanted[0].count ? NULL : check_text("%s is not written yet, or launches no graph", now->function));
    }
}

/* Operation number k of this kind in the call; of updates, of those of this node. NULL if there are fewer. */
static const lab_trace_op *find_op(const call *now, lab_op_kind kind, uint64_t node, int k)
{
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++)
        if (op->kind == kind && (kind != LAB_OP_EXEC_UPDATE || op->bytes == node) && k-- == 0) return op;
    return NULL;
}

/* The lines of what round k gives its launch, and takes from it: two copies, or two updates. */
static check_place place_of_round(const call *now, int k)
{
    const bool copies = check_count_ops(now->trace, LAB_OP_EXEC_UPDATE) == 0;
    const lab_trace_op *launch = find_op(now, LAB_OP_GRAPH_LAUNCH, 0, k),
                       *given = find_op(now, copies ? LAB_OP_COPY_HTOD : LAB_OP_EXEC_UPDATE, LAB10_U, k),
                       *taken = find_op(now, copies ? LAB_OP_COPY_DTOH : LAB_OP_EXEC_UPDATE, LAB10_R, k);
    if (!taken) taken = launch;
    if (!given) given = launch;
    return given && taken ? check_at_after(taken, given) : check_at(NULL);
}

/* Compares what the rounds left with what they should. The cause: every round has what an earlier address gives. */
static void check_rows(const call *now, float *const *expected, const float *stale, size_t offset, size_t stride)
{
    const size_t count = (size_t)now->given.count, bytes = count * sizeof(float);
    check_difference difference = {.array = "row"};
    float *found = check_alloc(bytes);
    const char *unordered = check_unordered(now->program);
    bool is_stale = false;
    for (int k = 0; k < now->given.rounds; k++) {
        const size_t before = difference.count;
        check_snapshot(now->program, found, offset + (size_t)k * stride, bytes);
        check_compare_floats(&difference, (size_t)k, expected[k], found, count);
        is_stale |= difference.count > before && stale && memcmp(found, stale, bytes) == 0;
    }
    check_equal(&difference, check_text("%s gives wrong numbers", now->function),
                .at = now->trace ? place_of_round(now, (int)difference.first_array) : check_at(NULL),
                .cause = unordered  ? unordered
                         : is_stale ? "the launch used the numbers that were at the captured address: a node keeps the "
                                      "address, and not the variable that it came from"
                                    : NULL);
}

/* The numbers of all rounds. */
typedef struct series {
    float *in[LAB10_ROUNDS], *out[LAB10_ROUNDS];
} series;

static series *make_series(const call *now)
{
    series *made = check_alloc(sizeof *made);
    for (int k = 0; k < now->given.rounds; k++) {
        made->in[k] = new_numbers(now->given.count);
        made->out[k] = expected_r(now, made->in[k]);
    }
    return made;
}

static void prove_series(const call *now, const series *all)
{
    check_passage *passage = check_alloc((size_t)now->given.rounds * sizeof *passage);
    for (int k = 0; k < now->given.rounds; k++) {
        passage[k] = passage_of(now, "a row", all->out[k], all->in[k]);
        if (k > 0) passage[k].input[1] = (check_bytes){NULL, 0}; /* y is the input of one, and may be used by all */
    }
    prove(now, passage, (size_t)now->given.rounds);
}

static call replay(series **all, check_program *program, int count, int rounds)
{
    call now = make_call(program, "lab10_replay", count, rounds);
    lab10_memory *memory = check_memory(program);
    const size_t bytes = (size_t)count * sizeof(float);
    *all = make_series(&now);
    for (int k = 0; k < rounds; k++) memcpy(memory->rows + (size_t)k * (size_t)count, (*all)->in[k], bytes);
    check_poison(program, offsetof(lab10_memory, results), (size_t)rounds * bytes);
    run(&now, NULL);
    find_span(&now);
    return now;
}

CHECK(replays_take_new_data, .points = 15, .title = "Task 2: 1000 replays on another stream, each with new data",
      .hints = {"Task 2: the graph reads x. Who puts the numbers of row k there, and when?",
                "What is enqueued on one stream runs in its order, and a launch of a graph is one of its operations. "
                "Copies before and after it bring the data in and out.",
                "Before the loop lab_graph_instantiate. In it, all on work->other: lab_array_set_async(work->x, rows + "
                "k * count, ...), lab_graph_launch, lab_array_get_async(work->r, results + k * count, ...)."})
{
    check_builds_on(CHECK_TASK(1));
    const int count[] = {LAB10_ROW_MOST, 1, check_draw(129, 200)}, rounds[] = {LAB10_ROUNDS, 3, check_draw(15, 25)};
    check_program *program = check_start(sizeof(lab10_memory));
    for (int s = 0; s < 3; s++) {
        share wanted[] = {{LAB_OP_GRAPH_LAUNCH, "launches of the graph", 0},
                          {LAB_OP_COPY_HTOD, "copies in", 0},
                          {LAB_OP_COPY_DTOH, "copies out", 0}};
        series *all;
        const call now = replay(&all, program, count[s], rounds[s]);
        check_rounds(&now, wanted, 3);
        check_returns_at_once(now.trace, now.span);
        check_rows(&now, all->out, NULL, offsetof(lab10_memory, results), (size_t)count[s] * sizeof(float));
        prove_series(&now, all);
        check_keeps_nothing(now.trace, now.span);
    }
}

static call follow(series **all, check_program *program, int count)
{
    call now = make_call(program, "lab10_follow", count, LAB10_ARRAYS);
    lab10_memory *memory = check_memory(program);
    const size_t bytes = (size_t)count * sizeof(float);
    *all = make_series(&now);
    for (int k = 0; k < LAB10_ARRAYS; k++) {
        memcpy(memory->from[k], (*all)->in[k], bytes);
        check_poison(program, offsetof(lab10_memory, to[k]), bytes);
    }
    run(&now, NULL);
    find_span(&now);
    return now;
}

CHECK(replays_follow_the_arrays, .points = 15, .title = "Task 2: replays that read and write new arrays",
      .hints = {
          "Task 2: which address does the captured kernel u have? Does a launch ask for it again?",
          "A node keeps its arguments as they were when it was captured. lab_graph_exec_update_kernel replaces "
          "the launch of one node, for all later launches of the executable graph.",
          "Before each launch update LAB10_U to advance(work->u, from[k], ...) and LAB10_R to mix(to[k], work->p, "
          "work->s, ...), with the same grid and block as before."})
{
    check_builds_on(CHECK_TASK(1));
    check_program *program = check_start(sizeof(lab10_memory));
    for (int s = 0; s < SIZES; s++) {
        share wanted[] = {{LAB_OP_GRAPH_LAUNCH, "launches of the graph", 0}};
        series *all;
        const call now = follow(&all, program, sizes[s]);
        check_rounds(&now, wanted, 1);
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
            if (op->kind == LAB_OP_EXEC_UPDATE) check_block(&now, op);
        check_returns_at_once(now.trace, now.span);
        check_rows(&now, all->out, expected_r(&now, now.x), offsetof(lab10_memory, to), sizeof(float) * LAB10_MOST);
        prove_series(&now, all);
        check_keeps_nothing(now.trace, now.span);
    }
}

CHECK(right_in_any_order, .points = 5, .schedule = "adversarial", .seeds = 3, .any_order = true,
      .title = "Tasks 1 and 2: right in every order that the rules allow",
      .hints = {"The device may run what nothing orders in any order. Which of your operations needs another's result?",
                "Right numbers on a quiet machine prove nothing. In a graph only its edges order; between a launch and "
                "copies, only a stream or an event does.",
                "Task 1: record behind the kernel that writes, wait before the kernel that reads. Task 2: everything "
                "on work->other."})
{
    check_program *program = check_start(sizeof(lab10_memory));
    call now = make_call(program, "lab10_record", few(), 0);
    series *all;
    run(&now, NULL);
    check_results(&now, NULL);
    check_builds_on(CHECK_TASK(1));
    program = check_start(sizeof(lab10_memory));
    now = replay(&all, program, LAB10_ROW_MOST, check_draw(15, 25));
    check_rows(&now, all->out, NULL, offsetof(lab10_memory, results), LAB10_ROW_MOST * sizeof(float));
    prove_series(&now, all);
    now = follow(&all, program, few());
    check_rows(&now, all->out, NULL, offsetof(lab10_memory, to), sizeof(float) * LAB10_MOST);
    prove_series(&now, all);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 3
 */

/* What the record shows while the clock ran for one way. */
typedef struct lap {
    const lab_trace_op *starts, *stops;
    int calls;
} lap;

static lap find_lap(const call *now, int way)
{
    lap found = {NULL, NULL, 0};
    char stops[64];
    snprintf(stops, sizeof stops, LAB10_STOPS "%d", way);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends && !found.stops; op++) {
        if (check_is_mark(op, LAB10_STARTS)) found.starts = op;
        if (check_is_mark(op, stops)) found.stops = op;
    }
    CHECK_THAT(found.starts && found.stops, CHECK_RULE,
               check_text("lab10_measure does not measure %s", way == LAB10_CALLS ? "the calls" : "the launches"),
               .at = found.starts ? check_at(found.starts) : place_of_way(now),
               .expected = check_text("lab10_start(), the calls, lab10_stop(%s)",
                                      way == LAB10_CALLS ? "LAB10_CALLS" : "LAB10_LAUNCHES"),
               .cause = "lab10_measure does not start and stop the clock for this way");
    for (const lab_trace_op *op = found.starts + 1; op < found.stops; op++) found.calls += !check_is_note(op);
    return found;
}

/* Fails the check if a call was made that does not belong to this way. */
static void check_lap(const call *now, const lap *measured, int way)
{
    check_returns_at_once(now->trace,
                          (check_span){.begins = measured->starts, .ends = measured->stops, .function = now->function});
    for (const lab_trace_op *op = measured->starts + 1; op < measured->stops; op++) {
        const bool launches = op->kind == LAB_OP_GRAPH_LAUNCH && op->stream == now->other,
                   calls = (op->kind == LAB_OP_KERNEL || op->kind == LAB_OP_EVENT_RECORD ||
                            op->kind == LAB_OP_EVENT_WAIT) &&
                           (op->stream == now->one || op->stream == now->two);
        CHECK_THAT(way == LAB10_CALLS ? calls : launches, CHECK_RULE, "lab10_measure measures something else too",
                   .at = check_at(op),
                   .expected = check_text("%s alone", way == LAB10_CALLS ? "lab10_enqueue on `one` and `two`"
                                                                         : "launches of the graph on `other`"),
                   .found = check_text("%s %s", lab_op_kind_name(op->kind), op->name),
                   .cause = "what the clock sees counts: prepare before lab10_start, give back after lab10_stop");
    }
}

static int count_kind(const lap *measured, lab_op_kind kind)
{
    int count = 0;
    for (const lab_trace_op *op = measured->starts; op < measured->stops; op++) count += op->kind == kind;
    return count;
}

static void check_count(const call *now, const lap *measured, int found, int wanted, const char *what)
{
    CHECK_THAT(found == wanted, CHECK_RULE, check_text("lab10_measure measures another number of %s", what),
               .at = check_at(measured->stops),
               .expected = check_text("%d %s for %d rounds", wanted, what, now->given.rounds),
               .found = check_text("%d", found));
}

static double milliseconds_of(const call *now, const lap *measured)
{
    return (double)(measured->stops->call_ns - measured->starts->call_ns) / 1e6 / now->given.rounds;
}

/* Fails the check unless r is right after all rounds, and came from the inputs. */
static void prove_measured(const call *now)
{
    float *expected = expected_r(now, now->x);
    check_rows(
        &(call){.program = now->program, .function = now->function, .given = {.count = now->given.count, .rounds = 1}},
        (float *const[]){expected}, NULL, offsetof(lab10_memory, result[LAB10_R]), 0);
    const check_passage passage = passage_of(now, "r", expected, now->x);
    prove(now, &passage, 1);
}

CHECK(cost_of_enqueuing, .points = 15, .after = "graph_is_the_one_asked_for",
      .title = "Task 3: what it costs to enqueue, by calls and by a graph",
      .hints = {"Task 3: what happens between lab10_start and lab10_stop? Which calls are no part of a replay?",
                "The clock measures the host. Instantiate before it starts, wait for the device after it has stopped, "
                "and let the first way's work end before the second begins: both write the same arrays.",
                "lab10_start(); rounds times lab10_enqueue(work); lab10_stop(LAB10_CALLS); a wait; lab10_start(); "
                "rounds times lab_graph_launch(exec, work->other); lab10_stop(LAB10_LAUNCHES); a wait."})
{
    check_builds_on(CHECK_TASK(1));
    const int rounds[] = {check_draw(80, 120), check_draw(5, 9)};
    check_program *program = check_start(sizeof(lab10_memory));
    for (int s = 0; s < 2; s++) {
        call now = make_call(program, "lab10_measure", few(), rounds[s]);
        run(&now, NULL);
        find_span(&now);
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++) {
            CHECK_THAT(op->kind != LAB_OP_GRAPH_CREATE, CHECK_RULE, "lab10_measure captures a graph of its own",
                       .at = check_at(op), .expected = "launches of the graph that lab10_measure is given");
        }
        const lap calls = find_lap(&now, LAB10_CALLS), launches = find_lap(&now, LAB10_LAUNCHES);
        check_lap(&now, &calls, LAB10_CALLS);
        check_lap(&now, &launches, LAB10_LAUNCHES);
        check_count(&now, &calls, count_kind(&calls, LAB_OP_KERNEL), LAB10_NODES * rounds[s], "kernels");
        check_count(&now, &launches, launches.calls, rounds[s], "launches of the graph");
        check_waits_for_all(now.trace, now.span);
        prove_measured(&now);
        check_keeps_nothing(now.trace, now.span);
        if (s > 0) continue;
        char label[64];
        const double each[] = {milliseconds_of(&now, &calls), milliseconds_of(&now, &launches)};
        snprintf(label, sizeof label, "enqueue a round by %d calls", calls.calls / rounds[s]);
        check_timing(label, CHECK_YOURS, &each[0], 1);
        check_timing("enqueue a round by a launch", CHECK_YOURS, &each[1], 1);
    }
    /* Whether one query finds all work done is luck above. */
    call late = make_call(check_start_unkind(sizeof(lab10_memory)), "lab10_measure", few(), check_draw(2, 5));
    run(&late, NULL);
    find_span(&late);
    check_waits_for_all(late.trace, late.span);
    prove_measured(&late);
}

/* ------------------------------------------------------------------------------------------------------
 * Task 4
 */

static const char *const error_name[] = {"LAB10_BEGIN_ON_NULL",   "LAB10_END_UNJOINED",     "LAB10_SYNCHRONIZE",
                                         "LAB10_END_INVALIDATED", "LAB10_WAIT_FOR_OUTSIDE", "LAB10_NULL_BESIDE"};

/* What the device answers, from calls of the reference. */
static lab10_statuses ask_errors(void)
{
    static const lab10_arguments given = {.count = 1, .steps = 1};
    lab10_statuses answer;
    check_call(check_start_reference(sizeof(lab10_memory)), "ask_errors", &given, sizeof given, &answer, sizeof answer);
    return answer;
}

/* The statuses that failed calls may have had, beside the one that is asked for and what follows from it. */
static void check_no_other_failure(const call *now, const int *status, int statuses)
{
    static const lab_status all[] = {LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                                     LAB_ERROR_STREAM_CAPTURE_INVALIDATED,
                                     LAB_ERROR_STREAM_CAPTURE_UNMATCHED,
                                     LAB_ERROR_STREAM_CAPTURE_UNJOINED,
                                     LAB_ERROR_STREAM_CAPTURE_ISOLATION,
                                     LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
                                     LAB_ERROR_ILLEGAL_STATE};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bool expected = false;
        for (int k = 0; k < statuses; k++) expected = expected || (int)all[i] == status[k];
        const check_failed_call failed = check_failure(now->program, all[i]);
        CHECK_THAT((failed.message != NULL) == expected, CHECK_RULE, "lab10_break makes another call fail, or none",
                   .at = failed.at.known ? failed.at : check_at_no_line(),
                   .expected = check_text("a call that fails with %s", lab_status_name((lab_status)status[0])),
                   .found = failed.message ? failed.message : "none");
    }
}

/* Fails the check unless lab10_break makes this call fail. Where the thread is relaxed, a capture forbids fewer calls:
 * it does not look at those that have nothing to do with the streams that capture. */
static void check_break(check_program *program, const lab10_statuses *answer, int error, bool relaxed)
{
    const int allowed[] = {answer->status[error], answer->status[LAB10_END_INVALIDATED]};
    lab10_statuses got;
    call now = make_call(program, "lab10_break", few(), 0);
    now.given.error = error;
    now.given.relaxed = relaxed;
    run(&now, &got);
    find_span(&now);
    check_runs_nothing(&now);
    check_returns_at_once(now.trace, now.span);
    const check_failed_call failed = check_failure(program, (lab_status)got.status[0]);
    CHECK_THAT(got.status[0] == answer->status[error], CHECK_WRONG_RESULT, "lab10_break returns another status",
               .at = failed.at.known ? failed.at : check_at_no_line(),
               .expected =
                   check_text("%s: the status of the call that fails%s", error_name[error],
                              relaxed ? ", also after lab_thread_exchange_capture_mode(LAB_CAPTURE_RELAXED)" : ""),
               .found = lab_status_name((lab_status)got.status[0]));
    const check_failed_call meant = check_failure(program, (lab_status)answer->status[error]);
    const char *message = meant.message;
    CHECK_THAT(error != LAB10_SYNCHRONIZE || !message || strstr(message, "lab_stream_synchronize") ||
                   strstr(message, "cuStreamSynchronize"),
               CHECK_RULE, "the call that lab10_break makes fail is not the wait for the stream", .at = meant.at,
               .expected = "lab_stream_synchronize(work->one)", .cause = message);
    check_no_other_failure(&now, allowed, error == LAB10_SYNCHRONIZE ? 2 : 1);
    check_streams_are_free(&now, check_at_no_line(),
                           check_text("%s: a capture that is invalid goes on until lab_stream_end_capture is "
                                      "called where it began",
                                      error_name[error]));
    check_keeps_nothing(now.trace, now.span);
}

/* Work that runs is told by its line, and not by what it is in no order with. */
CHECK(captures_are_made_to_fail, .points = 10, .without_flow = "the captures fail: nothing runs", .any_order = true,
      .title = "Task 4: three captures made to fail, and ended",
      .hints = {"Task 4: which call fails, and what is then still open?",
                "An invalid capture goes on until lab_stream_end_capture, which fails too. The end of an unjoined "
                "capture ends it.",
                "On the null stream: return what lab_stream_begin_capture gives. Unjoined: begin, u, fork, a kernel on "
                "`two`, return what the end gives. Synchronize: keep its status, end the capture, return the status."})
{
    const lab10_statuses answer = ask_errors();
    check_program *program = check_start(sizeof(lab10_memory));
    for (int error = 0; error <= LAB10_SYNCHRONIZE; error++) {
        check_break(program, &answer, error, false);
        check_break(program, &answer, error, true);
    }
}

CHECK(errors_are_predicted, .points = 10, .without_flow = "a prediction of what calls return",
      .after = "captures_are_made_to_fail", .title = "Task 4: six errors, predicted",
      .hints = {"Task 4: read what each status of lab.h whose name has CAPTURE in it says, and the part Graphs.",
                "One rule behind most of them: what a capture holds back cannot be waited for, and a graph cannot wait "
                "for what is outside of it. An error in a capture makes it invalid, and the end says so.",
                "In the order of the list: UNSUPPORTED, UNJOINED, UNSUPPORTED, INVALIDATED, ISOLATION, IMPLICIT, each "
                "with LAB_ERROR_STREAM_CAPTURE_ before it."})
{
    lab_status predicted[LAB10_ERRORS];
    const lab10_statuses answer = ask_errors();
    int wrong = 0, first = 0;
    check_table(predicted, sizeof predicted, "lab10_errors");
    for (int i = LAB10_ERRORS; i-- > 0;) {
        if ((int)predicted[i] == answer.status[i]) continue;
        wrong++;
        first = i;
    }
    CHECK_THAT(wrong == 0, CHECK_WRONG_RESULT,
               check_text("%d of %d predictions differ from what the device answers", wrong, LAB10_ERRORS),
               .at = check_at_name(check_text("lab10_errors[%d]", first)),
               .expected = check_text("%s: another status than that", error_name[first]),
               .found = lab_status_name(predicted[first]));
}

/* ------------------------------------------------------------------------------------------------------
 * At the end
 */

CHECK(failures_are_passed_on, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "graph_is_the_one_asked_for, replays_take_new_data, replays_follow_the_arrays, cost_of_enqueuing, "
               "captures_are_made_to_fail",
      .title = "A call that fails ends the function, with its status",
      .hints = CHECK_FAILURE_HINTS(
          "LAB_TRY around each call, except between the beginning of a capture and its end: there "
          "keep the status, end the capture, then return the status."))
{
    static const char *const function[] = {"lab10_record", "lab10_replay", "lab10_follow", "lab10_measure"};
    const lab10_arguments given = {
        .count = check_draw(50, LAB10_ROW_MOST), .steps = check_draw(2, 9), .rounds = check_draw(2, 5)};
    for (size_t f = 0; f < sizeof function / sizeof *function; f++) {
        check_builds_on(f == 0 ? 0 : CHECK_TASK(1));
        check_failures(&(check_failing){.function = function[f],
                                        .arguments = &given,
                                        .argument_bytes = sizeof given,
                                        .memory_bytes = sizeof(lab10_memory),
                                        .gives_back = "capture",
                                        .also = CHECK_FAIL_WAITS,
                                        .at_once = f > 0});
    }
    check_builds_on(0);
    const lab10_arguments unjoined = {.count = few(),
                                      .steps = check_draw(2, 9),
                                      .error = LAB10_END_UNJOINED,
                                      .expected = ask_errors().status[LAB10_END_UNJOINED]};
    check_failures(&(check_failing){.function = "lab10_break",
                                    .arguments = &unjoined,
                                    .argument_bytes = sizeof unjoined,
                                    .memory_bytes = sizeof(lab10_memory),
                                    .gives_back = "capture"});
}
