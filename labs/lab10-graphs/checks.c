/* The checks of lab 10: from the record which nodes and edges a graph has, which graph was launched how often and on
 * which stream, and what the launches left in memory; the status of each call that must fail. */
#include "case.h"
#include "find.h"
#include "lab10.h"
#include "shared.h"

#include <string.h>

CHECK_LAB("lab10", "Graphs");

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* r of the whole graph, from x and y. */
static void compute_r(float *to, const float *const *from, const check_case_run *now)
{
    float *u = check_alloc(now->count * sizeof *u), *p = check_alloc(now->count * sizeof *p);
    check_advanced(u, from, now);
    check_advanced(p, (const float *[]){u}, now);
    check_mixed(u, (const float *[]){u, from[1]}, now);
    check_advanced(u, (const float *[]){u}, now);
    check_mixed(to, (const float *[]){p, u}, now);
}

#define IN(name) offsetof(lab10_memory, name), .low = 0.1f, .high = 0.9f
#define RESULT(which) offsetof(lab10_memory, result[which])
#define COMMON                                                                                                         \
    .memory_bytes = sizeof(lab10_memory), .threads = 128,                                                              \
    .given = CHECK_CASE_GIVEN(lab10_arguments, count, {"steps", offsetof(lab10_arguments, steps), 3, 6, true}),        \
    .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count, int steps)"},              \
               {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], int count)"}},         \
    .stream = {{"one", "`one`"}, {"two", "`two`"}, {"other", "`other`"}}

/* The five kernels of the lesson's drawing. */
static void keeps_graph(const check_case_run *now);
static const check_case record = {COMMON,
                                  .function = "lab10_record",
                                  .keeps = keeps_graph,
                                  .array = {{"x", IN(x)},
                                            {"y", IN(y)},
                                            {"u", RESULT(LAB10_U), .is = check_advanced, .from = {"x"}},
                                            {"p", RESULT(LAB10_P), .is = check_advanced, .from = {"u"}},
                                            {"q", RESULT(LAB10_Q), .is = check_mixed, .from = {"u", "y"}},
                                            {"s", RESULT(LAB10_S), .is = check_advanced, .from = {"q"}},
                                            {"r", RESULT(LAB10_R), .is = check_mixed, .from = {"p", "s"}}},
                                  .in_blocks = true,
                                  .step = {{"u", LAB_OP_GRAPH_NODE, .on = "`one`"},
                                           {"p", LAB_OP_GRAPH_NODE, .on = "`one`", .after = {"u"}},
                                           {"q", LAB_OP_GRAPH_NODE, .on = "`two`", .after = {"u"}},
                                           {"s", LAB_OP_GRAPH_NODE, .on = "`two`", .after = {"q"}},
                                           {"r", LAB_OP_GRAPH_NODE, .on = "`one`", .after = {"p", "s"}}}};
static const check_case record_fault = {COMMON, .function = "lab10_record with a fault",
                                        .result_bytes = sizeof(lab10_statuses), .array = {{"x", IN(x)}, {"y", IN(y)}}};
static const check_case measure = {
    COMMON, .function = "lab10_measure",
    .array = {{"x", IN(x)}, {"y", IN(y)}, {"r", RESULT(LAB10_R), .is = compute_r, .from = {"x", "y"}}}};
static const check_case breaks = {COMMON, .function = "lab10_break", .result_bytes = sizeof(lab10_statuses),
                                  .array = {{"x", IN(x)}, {"y", IN(y)}}};

/* The rounds of task 2: the numbers of each are a row. */
static check_finding explain_copies(const check_case_run *now, int array, size_t element);
static check_finding explain_updates(const check_case_run *now, int array, size_t element);
static void keeps_copies(const check_case_run *now), keeps_nodes(const check_case_run *now);
static const check_case replay = {COMMON,
                                  .function = "lab10_replay",
                                  .explain = explain_copies,
                                  .keeps = keeps_copies,
                                  .rows_at = offsetof(lab10_arguments, rounds),
                                  .array = {{"y", IN(y)},
                                            {"the rows", IN(rows), .stride = CHECK_PACKED},
                                            {"the results", offsetof(lab10_memory, results), .stride = CHECK_PACKED,
                                             .is = compute_r, .from = {"the rows", "y"}}}};
static const check_case follow = {COMMON,
                                  .function = "lab10_follow",
                                  .explain = explain_updates,
                                  .keeps = keeps_nodes,
                                  .rows = LAB10_ARRAYS,
                                  .array = {{"x", IN(x)},
                                            {"y", IN(y)},
                                            {"from", IN(from), .stride = sizeof(float[LAB10_MOST])},
                                            {"to", offsetof(lab10_memory, to), .stride = sizeof(float[LAB10_MOST]),
                                             .is = compute_r, .from = {"from", "y"}}}};

/* Fails the check if the call runs work. */
static void check_runs_nothing(const check_case_run *now)
{
    const lab_trace_op *op = now->span.begins;
    while (op < now->span.ends && !check_is_work(op)) op++;
    CHECK_THAT(op == now->span.ends, CHECK_RULE, check_text("%s runs work instead of capturing it", now->span.function),
               .at = check_at(op), .expected = "no work: a capture runs nothing",
               .found = check_text("%s %s on stream %llu", lab_op_kind_name(op->kind), op->name,
                                   (unsigned long long)op->stream),
               .cause = "this stream does not capture: it has waited for no event of the capture before");
}

/* Fails the check if one of the streams could not be used after the call; `cause` is why it then captures. */
static void check_streams_are_free(const check_case_run *now, check_place at, const char *cause)
{
    for (int i = 0; i < LAB10_STREAMS; i++) {
        const uint64_t stream = check_mark(now->trace, now->of->stream[i].mark)->stream;
        const lab_trace_op *last = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .stream = stream});
        CHECK_THAT(last && last > now->span.ends, CHECK_RULE,
                   check_text("%s leaves a stream capturing", now->span.function), .at = at,
                   .expected = "streams that can be used again", .found = "a stream that still captures",
                   .cause = cause);
    }
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

/* The call captured the graph. */
static void keeps_graph(const check_case_run *now)
{
    const lab_trace_op *made = check_op_in(now->span, LAB_OP_GRAPH_CREATE, -1);
    check_runs_nothing(now);
    CHECK_THAT(made, CHECK_RULE, "lab10_record makes no graph", .at = check_at_name("lab10_record"),
               .cause = "no capture ends in this call: lab_stream_end_capture makes the graph");
    check_plan plan = check_case_plan(now);
    plan.graph = made->object;
    check_plan_find(&plan);
    check_plan_edges(&plan, "lab10_record");
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
        const check_case_run now = check_case_at(&record, program, (size_t)sizes[s]);
        check_returns_at_once(now.trace, now.span);
        check_case_keeps_plan(&now);
        check_case_prove(&now);
        check_leaves(now.trace, now.span, "graph");
        check_case_ordered(&now);
    }
}

/* A failure of lab10_record: the beginning fails, or a launch. */
static void check_failed_record(check_program *program, bool null, lab_status wanted)
{
    check_case_run now = check_case_with(&record_fault, program, &(lab10_arguments){.count = few(), .null = null});
    const lab10_statuses *got = now.result;
    const check_place at = check_at_name("end of lab10_record");
    now.span.function = record.function;
    check_returns_at_once(now.trace, now.span);
    CHECK_THAT(got->status[0] == (int)wanted, CHECK_RULE, "lab10_record hides the failure of a call", .at = at,
               .expected = check_text("%s, the status of the %s that failed", lab_status_name(wanted),
                                      null ? "beginning" : "launch"),
               .found = lab_status_name((lab_status)got->status[0]));
    check_streams_are_free(&now, at,
                           "the function left between the beginning of the capture and its end, for a call failed");
    CHECK_THAT(!got->status[1], CHECK_RULE, "lab10_record fails, and hands out a graph", .at = at,
               .expected = "*out is NULL");
    if (check_op_in(now.span, LAB_OP_GRAPH_CREATE, 0)) check_given_back(now.trace, "graph", NULL, NULL);
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

/* ---- Task 2 ------------------------------------------------------------------------------------------------------ */

static const char ANOTHER_STREAM[] = "a graph may be launched on any stream, not only where it was captured",
                  APART[] = "on one stream the launch waits for the copy in, and the copy out for the launch";

/* Fails the check if the call captures a graph of its own, or instantiates the given one again. */
static void check_given_graph(const check_case_run *now)
{
    const lab10_arguments *given = now->arguments;
    const lab_trace_op *captured = check_op_in(now->span, LAB_OP_GRAPH_CREATE, 0),
                       *again = check_op_in(now->span, LAB_OP_EXEC_CREATE, 1);
    CHECK_THAT(!captured, CHECK_RULE, check_text("%s captures a graph of its own", now->span.function),
               .at = check_at(captured), .expected = "launches of the graph that it is given");
    CHECK_THAT(
        !again, CHECK_RULE, check_text("%s instantiates a graph again", now->span.function), .at = check_at(again),
        .expected = check_text("the graph instantiated once, and launched %d times", given->rounds),
        .cause = "an executable graph is launched as often as you like; to prepare it costs more than to launch it");
}

/* Fails the check unless the call instantiated the graph once, and enqueued a launch in each round, with `copies` also
 * a copy in and one out, on the other stream and nothing else. */
static void check_rounds(const check_case_run *now, bool copies)
{
    const uint64_t other = check_mark(now->trace, "other")->stream;
    const check_work work[] = {
        {LAB_OP_GRAPH_LAUNCH, NULL, now->rows, other, "`other`", ANOTHER_STREAM},
        {LAB_OP_COPY_HTOD, NULL, copies ? now->rows : 0, other, "`other`", APART},
        {LAB_OP_COPY_DTOH, NULL, copies ? now->rows : 0, other, "`other`", APART},
        {LAB_OP_COPY_DTOD, .cause = "this moves the numbers to where the graph looks; lab_graph_exec_update_kernel "
                                    "tells the graph where they are"}};
    check_given_graph(now);
    check_enqueued(now->program, now->span, work, sizeof work / sizeof *work);
}

static void keeps_copies(const check_case_run *now) { check_rounds(now, true); }

/* program.c makes the inputs, what the nodes write, and then from[0], to[0], from[1], ... */
enum { INPUTS = 2, ARRAYS = INPUTS + LAB10_NODES };
static const char *const node_name[] = {"LAB10_U", "LAB10_P", "LAB10_Q", "LAB10_S", "LAB10_R"};

/* An update leaves what its node writes, but for the last node. */
static void keeps_nodes(const check_case_run *now)
{
    check_rounds(now, false);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind != LAB_OP_EXEC_UPDATE) continue;
        CHECK_THAT(
            op->bytes >= LAB10_R || check_writes_block(op, check_pool_block(now->trace, INPUTS + (int)op->bytes)),
            CHECK_RULE, check_text("lab10_follow gives %s another result", node_name[op->bytes]), .at = check_at(op),
            .expected = check_text("%s with the result that it was captured with", node_name[op->bytes]),
            .found = check_text("kernel %s with another one", op->name),
            .cause = check_text("this call updates %s, with the launch of another node or with its arrays "
                                "exchanged",
                                node_name[op->bytes]));
        check_launched(now->span, op, 1, 0, follow.threads, NULL);
    }
}

/* The first copy of a round that does not begin where its row of the shared memory does; NULL for none. */
static const lab_trace_op *strayed_copy(const check_case_run *now, lab_op_kind kind, size_t offset)
{
    const uint64_t first = check_address(now->program) + offset;
    const lab_trace_op *copy;
    for (int k = 0; (copy = check_op_in(now->span, kind, k)); k++)
        if (check_host_access(copy).address != first + (size_t)k * now->count * sizeof(float)) return copy;
    return NULL;
}

/* Why a round has other numbers: a copy of another row, or on the wrong side of its launch. */
static check_finding explain_copies(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *launch = check_op_in(now->span, LAB_OP_GRAPH_LAUNCH, now->row),
                       *given = check_op_in(now->span, LAB_OP_COPY_HTOD, now->row),
                       *taken = check_op_in(now->span, LAB_OP_COPY_DTOH, now->row),
                       *strayed = strayed_copy(now, LAB_OP_COPY_HTOD, offsetof(lab10_memory, rows));
    (void)array, (void)element;
    if (!strayed) strayed = strayed_copy(now, LAB_OP_COPY_DTOH, offsetof(lab10_memory, results));
    if (strayed)
        return (check_finding){.at = check_at(strayed),
                               .cause = "this copy does not begin where its row does: row k begins k * count numbers "
                                        "behind the first"};
    if (!given || !launch || !taken) return (check_finding){.cause = NULL};
    return (check_finding){.at = given > launch ? check_at(given) : check_at_after(taken, given),
                           .cause = given > launch   ? "a launch has what came before it, and this copy in of a round "
                                                       "comes behind its launch"
                                    : taken < launch ? "this copy out of a round comes before its launch"
                                                     : NULL};
}

/* Why a round has other numbers: a node that its launch has with another array. */
static check_finding explain_updates(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *launch = check_op_in(now->span, LAB_OP_GRAPH_LAUNCH, now->row);
    (void)array, (void)element;
    for (int node = LAB10_U; node <= LAB10_R && launch; node += LAB10_R - LAB10_U) {
        const lab_trace_op *before = NULL, *behind = NULL,
                           *block = check_pool_block(now->trace, ARRAYS + 2 * now->row + (node == LAB10_R));
        for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
            if (op->kind != LAB_OP_EXEC_UPDATE || (int)op->bytes != node) continue;
            if (op < launch) before = op;
            if (op > launch && !behind && check_uses_block(op, block)) behind = op;
        }
        if (before && check_uses_block(before, block)) continue;
        return (check_finding){
            .at = check_at(behind   ? behind
                           : before ? before
                                    : launch),
            .cause = check_text(behind   ? "a launch has what came before it, and this update of %s comes behind the "
                                           "one that needs %s[%d]"
                                : before ? "this is the last update of %s before the launch that needs %s[%d]"
                                         : "nothing updates %s before the launch that needs %s[%d]: a node keeps the "
                                           "address that was captured",
                                node_name[node], node == LAB10_R ? "to" : "from", now->row)};
    }
    return (check_finding){.at = check_at(launch)};
}

/* A copy on another stream is told by the stream. */
CHECK(replays_take_new_data, .points = 15, .any_order = true, .schedule = "fifo",
      .title = "Task 2: 1000 replays on another stream, each with new data",
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
        const lab10_arguments given = {.count = count[s], .rounds = rounds[s]};
        const check_case_run now = check_case_with(&replay, program, &given);
        check_case_keeps_plan(&now);
        check_returns_at_once(now.trace, now.span);
        check_case_prove(&now);
        check_case_ordered(&now);
        check_keeps_nothing(now.trace, now.span);
    }
}

/* An update of the wrong node is told by the node. */
CHECK(replays_follow_the_arrays, .points = 15, .any_order = true, .schedule = "fifo",
      .title = "Task 2: replays that read and write new arrays",
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
        const lab10_arguments given = {.count = sizes[s], .rounds = LAB10_ARRAYS};
        const check_case_run now = check_case_with(&follow, program, &given);
        check_case_keeps_plan(&now);
        check_returns_at_once(now.trace, now.span);
        check_case_prove(&now);
        check_case_ordered(&now);
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
    check_case_proven(&record, NULL, &(lab10_arguments){.count = few()});
    check_builds_on(CHECK_TASK(1));
    check_program *program = check_start(sizeof(lab10_memory));
    const lab10_arguments rounds = {.count = LAB10_ROW_MOST, .rounds = check_draw(15, 25)},
                          arrays = {.count = few(), .rounds = LAB10_ARRAYS};
    check_case_proven(&replay, program, &rounds);
    check_case_proven(&follow, program, &arrays);
}

/* ---- Task 3 ------------------------------------------------------------------------------------------------------ */

/* What the record shows while the clock ran for one way. */
static check_span find_lap(const check_case_run *now, int way)
{
    check_span lap = {.function = now->span.function};
    const char *stops = check_text(LAB10_STOPS "%d", way);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends && !lap.ends; op++) {
        if (check_is_mark(op, LAB10_STARTS)) lap.begins = op;
        if (check_is_mark(op, stops)) lap.ends = op;
    }
    CHECK_THAT(lap.begins && lap.ends, CHECK_RULE,
               check_text("lab10_measure does not measure %s", way == LAB10_CALLS ? "the calls" : "the launches"),
               .at = lap.begins ? check_at(lap.begins) : check_at_no_line(),
               .expected = check_text("lab10_start(), the calls, lab10_stop(%s)",
                                      way == LAB10_CALLS ? "LAB10_CALLS" : "LAB10_LAUNCHES"),
               .cause = "lab10_measure does not start and stop the clock for this way");
    return lap;
}

/* Fails the check unless the lap has the calls of so many rounds, and no others. Returns how many calls. */
static int check_lap(const check_case_run *now, check_span lap, int way, int rounds)
{
    const uint64_t one = check_mark(now->trace, "one")->stream, two = check_mark(now->trace, "two")->stream,
                   other = check_mark(now->trace, "other")->stream;
    const check_work launches = {LAB_OP_GRAPH_LAUNCH, NULL, rounds, other, "`other`", NULL},
                     kernels = {LAB_OP_KERNEL, NULL, LAB10_NODES * rounds, 0, NULL, NULL};
    int made = 0;
    check_returns_at_once(now->trace, lap);
    for (const lab_trace_op *op = lap.begins + 1; op < lap.ends; op++) {
        const bool launch = op->kind == LAB_OP_GRAPH_LAUNCH && op->stream == other,
                   call = (op->kind == LAB_OP_KERNEL || op->kind == LAB_OP_EVENT_RECORD ||
                           op->kind == LAB_OP_EVENT_WAIT) &&
                          (op->stream == one || op->stream == two);
        made += !check_is_note(op);
        CHECK_THAT(way == LAB10_CALLS ? call : launch, CHECK_RULE, "lab10_measure measures something else too",
                   .at = check_at(op),
                   .expected = check_text("%s alone", way == LAB10_CALLS ? "lab10_enqueue on `one` and `two`"
                                                                         : "launches of the graph on `other`"),
                   .found = check_text("%s %s", lab_op_kind_name(op->kind), op->name),
                   .cause = launch || call
                                ? "this belongs to the other way, and lab10_stop names which of the two it measures"
                                : "what the clock sees counts: prepare before lab10_start, release after lab10_stop");
    }
    check_enqueued(now->program, lap, way == LAB10_CALLS ? &kernels : &launches, 1);
    return made;
}

/* Fails the check if the second way begins while the work of the first may still run. */
static void check_ways_apart(const check_case_run *now, check_span calls, check_span launches)
{
    const bool calls_first = calls.begins < launches.begins;
    if (!check_unordered(now->program)) return;
    check_waits_for_all(now->trace, (check_span){.begins = calls_first ? calls.begins : launches.begins,
                                                 .ends = calls_first ? launches.begins : calls.begins,
                                                 .function = now->span.function,
                                                 .then = "goes on to the other way"});
    check_case_ordered(now);
}

static void show_lap(check_span lap, int rounds, const char *label)
{
    const double each = (double)(lap.ends->call_ns - lap.begins->call_ns) / 1e6 / rounds;
    check_timing(label, CHECK_YOURS, &each, 1);
}

/* Ways that overlap are told by the wait. */
CHECK(cost_of_enqueuing, .points = 15, .any_order = true, .after = "graph_is_the_one_asked_for",
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
        const lab10_arguments given = {.count = few(), .rounds = rounds[s]};
        const check_case_run now = check_case_with(&measure, program, &given);
        check_given_graph(&now);
        const check_span calls = find_lap(&now, LAB10_CALLS), launches = find_lap(&now, LAB10_LAUNCHES);
        const int made = check_lap(&now, calls, LAB10_CALLS, rounds[s]);
        check_lap(&now, launches, LAB10_LAUNCHES, rounds[s]);
        check_ways_apart(&now, calls, launches);
        check_waits_for_all(now.trace, now.span);
        check_case_prove(&now);
        check_keeps_nothing(now.trace, now.span);
        if (s > 0) continue;
        show_lap(calls, rounds[s], check_text("enqueue a round by %d calls", made / rounds[s]));
        show_lap(launches, rounds[s], "enqueue a round by a launch");
    }
    /* Whether one query finds all work done is luck above. */
    const check_case_run late = check_case_with(&measure, check_start_unkind(sizeof(lab10_memory)),
                                                &(lab10_arguments){.count = few(), .rounds = check_draw(2, 5)});
    check_waits_for_all(late.trace, late.span);
    check_case_prove(&late);
}

/* ---- Task 4 ------------------------------------------------------------------------------------------------------ */

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

/* The statuses that failed calls may have had, besides the one that is asked for and what follows from it. */
static void check_no_other_failure(const check_case_run *now, const int *status, int statuses)
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
    const lab10_arguments given = {.count = few(), .error = error, .relaxed = relaxed};
    const check_case_run now = check_case_with(&breaks, program, &given);
    const lab10_statuses *got = now.result;
    const lab_trace_op *wait = check_op_in(now.span, LAB_OP_STREAM_SYNC, 0);
    check_runs_nothing(&now);
    CHECK_THAT(!wait, CHECK_RULE, "the wait in lab10_break does not fail", .at = check_at(wait),
               .expected = "lab_stream_synchronize(work->one), while `one` captures", .found = "a wait that succeeds",
               .cause = "this stream does not capture: a wait for it is allowed");
    check_returns_at_once(now.trace, now.span);
    const check_failed_call failed = check_failure(program, (lab_status)got->status[0]);
    CHECK_THAT(got->status[0] == answer->status[error], CHECK_WRONG_RESULT, "lab10_break returns another status",
               .at = failed.at.known ? failed.at : check_at_no_line(),
               .expected =
                   check_text("%s: the status of the call that fails%s", error_name[error],
                              relaxed ? ", also after lab_thread_exchange_capture_mode(LAB_CAPTURE_RELAXED)" : ""),
               .found = lab_status_name((lab_status)got->status[0]));
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
    check_table(predicted, sizeof predicted, "lab10_errors");
    for (int i = 0; i < LAB10_ERRORS; i++)
        CHECK_THAT((int)predicted[i] == answer.status[i], CHECK_WRONG_RESULT,
                   check_text("the prediction of %s is wrong", error_name[i]),
                   .at = check_at_name(check_text("lab10_errors[%d]", i)), .expected = "another status than that",
                   .found = lab_status_name(predicted[i]));
}

/* ---- At the end -------------------------------------------------------------------------------------------------- */

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5,
      .after = "graph_is_the_one_asked_for, replays_take_new_data, replays_follow_the_arrays, cost_of_enqueuing, "
               "captures_are_made_to_fail",
      .hints = {[2] = "LAB_TRY around each call, except between the beginning of a capture and its end: there "
                      "keep the status, end the capture, then return the status."})
{
    static const char *const function[] = {"lab10_record", "lab10_replay", "lab10_follow", "lab10_measure"};
    const lab10_arguments given = {
        .count = check_draw(50, LAB10_ROW_MOST), .steps = check_draw(2, 9), .rounds = check_draw(2, 5)};
    for (size_t f = 0; f < sizeof function / sizeof *function; f++) {
        check_builds_on(f == 0 ? 0 : CHECK_TASK(1));
        check_failures(&(check_failing){.function = function[f],
                                        CHECK_GIVEN(given),
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
                                    CHECK_GIVEN(unjoined),
                                    .memory_bytes = sizeof(lab10_memory),
                                    .gives_back = "capture"});
}
