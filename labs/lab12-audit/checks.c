/* The checks of lab 12. Each mended program: its numbers in a hundred orders, from the record what waits for what and
 * whether the host stood still, and how many lines differ from the starter. */
#include "check.h"
#include "find.h"
#include "lab12.h"
#include "plan.h"
#include "shared.h"

#include <string.h>

CHECK_LAB("lab12", "Audit");

/* ---- What the programs do ---------------------------------------------------------------------------------------- */

enum { ANY, FIRST, SECOND, THIRD }; /* streams */
enum { MOST_KINDS = 3 };

typedef struct call call;

typedef struct program {
    const char *name;
    check_work work[MOST_KINDS]; /* that it enqueues, on FIRST and so on; ends with a count of 0 */
    int span;                    /* the longest chain, in operations */
    bool waits;                  /* the host may wait, but for no kernel */
    void (*compute)(call *now);
} program;

/* One call: its inputs, what must come out, and its record. */
struct call {
    const program *of;
    check_program *program;
    lab12_arguments given;
    float *row[LAB12_ROWS], *u[LAB12_ROWS], *v[LAB12_ROWS]; /* u and v: NULL where the call computes nothing */
    check_passage passage[2 * LAB12_ROWS];
    size_t passages;
    const lab_trace *trace;
    check_span span;
};

static float *new_array(const call *now) { return check_alloc((size_t)now->given.count * sizeof(float)); }

static float *advanced(const call *now, const float *from)
{
    float *to = new_array(now);
    for (int i = 0; i < now->given.count; i++) to[i] = 3.9f * from[i] * (1.0f - from[i]);
    return to;
}

static float *mixed(const call *now, const float *a, const float *b)
{
    float *to = new_array(now);
    for (int i = 0; i < now->given.count; i++) to[i] = 0.5f * a[i] + 0.25f * b[i];
    return to;
}

/* The output must come from these rows; from one alone if both are the same. */
static void add_passage(call *now, const char *what, const float *output, int row, int other)
{
    const size_t bytes = (size_t)now->given.count * sizeof(float);
    now->passage[now->passages++] =
        (check_passage){.what = what,
                        .output = {output, bytes},
                        .input = {{now->row[row], bytes}, {now->row[other], row == other ? 0 : bytes}}};
}

static void compute_total(call *now)
{
    now->v[0] = new_array(now);
    for (int k = 0; k < LAB12_ROWS; k++)
        for (int i = 0; i < now->given.count; i++) now->v[0][i] += now->row[k][i];
    for (int k = 0; k < LAB12_ROWS; k += 2) add_passage(now, "the total", now->v[0], k, k + 1);
}

static void compute_rows(call *now)
{
    for (int k = 0; k < LAB12_ROWS; k++) now->u[k] = advanced(now, now->row[k]);
    for (int k = 0; k < LAB12_ROWS; k++) add_passage(now, "a row of u", now->u[k], k, k);
}

static void compute_meeting(call *now)
{
    for (int k = 0; k < 2; k++) now->u[k] = advanced(now, now->row[k]);
    now->v[0] = mixed(now, now->u[0], now->u[1]);
    add_passage(now, "v[0]", now->v[0], 0, 1);
}

static void compute_loan(call *now)
{
    now->u[0] = now->row[0];
    now->v[0] = mixed(now, advanced(now, now->row[1]), now->row[1]);
    add_passage(now, "v[0]", now->v[0], 1, 1);
}

static void compute_pipeline(call *now)
{
    compute_rows(now);
    for (int k = 0; k < LAB12_ROWS; k++) {
        now->v[k] = mixed(now, now->u[k], now->row[k]);
        add_passage(now, "a row of v", now->v[k], k, k);
    }
}

static void compute_replay(call *now)
{
    compute_loan(now);
    now->u[0] = advanced(now, advanced(now, now->row[0]));
    add_passage(now, "u[0]", now->u[0], 0, 0);
}

/* Each block by itself; behind the numbers there are zeros. */
static void compute_smooth(call *now)
{
    float value[LAB12_THREADS];
    now->u[0] = new_array(now);
    for (int first = 0; first < now->given.count; first += LAB12_THREADS) {
        const int left = now->given.count - first, count = left < LAB12_THREADS ? left : LAB12_THREADS;
        for (int t = 0; t < LAB12_THREADS; t++) value[t] = t < count ? now->row[0][first + t] : 0.0f;
        for (int round = 0; round < now->given.rounds; round++)
            for (int t = 0; t < LAB12_THREADS; t++) /* in this order, the right neighbour is still the old one */
                value[t] = 0.5f * value[t] + 0.5f * value[t + 1 < LAB12_THREADS ? t + 1 : t];
        memcpy(now->u[0] + first, value, (size_t)count * sizeof *value);
    }
    add_passage(now, "u[0]", now->u[0], 0, 0);
}

static const program total = {.name = "lab12_total",
                              .work = {{LAB_OP_FILL, .count = 1}, {LAB_OP_KERNEL, "add", LAB12_ROWS, .stream = FIRST}},
                              .span = LAB12_ROWS + 1,
                              .compute = compute_total};
static const program stage = {.name = "lab12_stage",
                              .work = {{LAB_OP_COPY_HTOD, NULL, LAB12_ROWS, .stream = FIRST},
                                       {LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = SECOND}},
                              .span = LAB12_ROWS + 1,
                              .waits = true,
                              .compute = compute_rows};
static const program meet = {
    .name = "lab12_meet",
    .work = {{LAB_OP_KERNEL, "advance", .count = 2}, {LAB_OP_KERNEL, "mix", 1, .stream = THIRD}},
    .span = 2,
    .compute = compute_meeting};
static const program lend = {.name = "lab12_lend",
                             .work = {{LAB_OP_KERNEL, "gather", 1, .stream = SECOND},
                                      {LAB_OP_KERNEL, "advance", 1, .stream = FIRST},
                                      {LAB_OP_KERNEL, "mix", 1, .stream = FIRST}},
                             .span = 3,
                             .compute = compute_loan};
static const program pipeline = {.name = "lab12_pipeline",
                                 .work = {{LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = FIRST},
                                          {LAB_OP_KERNEL, "mix", LAB12_ROWS, .stream = SECOND}},
                                 .span = LAB12_ROWS + 1,
                                 .compute = compute_pipeline};
static const program replay = {.name = "lab12_replay",
                               .work = {{LAB_OP_GRAPH_LAUNCH, NULL, 1, .stream = FIRST},
                                        {LAB_OP_KERNEL, "advance", 1, .stream = SECOND},
                                        {LAB_OP_KERNEL, "mix", 1, .stream = SECOND}},
                               .span = 2,
                               .compute = compute_replay};
static const program two_buffers = {.name = "lab12_two_buffers",
                                    .work = {{LAB_OP_COPY_HTOD, NULL, LAB12_ROWS, .stream = FIRST},
                                             {LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = SECOND}},
                                    .span = LAB12_ROWS + 1,
                                    .compute = compute_rows};
static const program smooth = {.name = "lab12_smooth", .compute = compute_smooth};

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* Why numbers may be wrong though the order checker found nothing: what no call names must be declared. */
static check_finding explain_silence(const call *now)
{
    const lab_trace_op *user = NULL;
    bool declares = now->of != &lend && now->of != &stage;
    for (const lab_trace_op *op = now->trace->op; op < now->trace->op + now->trace->ops; op++) {
        const bool gathers = op->kind == LAB_OP_KERNEL && strcmp(op->name, "gather") == 0;
        if (now->of == &lend ? gathers : op->kind == LAB_OP_COPY_HTOD && op->host_memory == LAB_HOST_PINNED) user = op;
        declares |= gathers ? op->declared > 0 : op->kind == LAB_OP_HOST_WRITE;
    }
    if (!user || declares) return (check_finding){0};
    return (check_finding){
        .at = check_at(user),
        .cause = now->of == &lend ? "the line with lab_next_uses is gone: without it the order checker does not know "
                                    "that this kernel reads the block"
                                  : "the line with lab_host_writes is gone: without it the order checker does not know "
                                    "that the host writes what this copies"};
}

/* Fails the check unless result number `which` of a run, first all u and then all v, is the expected one; with NULL, as
 * it was before. `why` is the likely reason. */
static void check_numbers(const call *now, int run, int which, const float *expected, check_finding why)
{
    const size_t count = (size_t)now->given.count;
    const int k = which % LAB12_ROWS;
    float *unwritten = check_alloc(count * sizeof *unwritten);
    memset(unwritten, LAB12_UNWRITTEN, count * sizeof *unwritten);
    why.message = check_text("%s leaves wrong numbers in %s[%d]", now->of->name, which < LAB12_ROWS ? "u" : "v", k);
    check_floats(now->program, offsetof(lab12_memory, result[(size_t)(2 * run * LAB12_ROWS + which) * count]),
                 expected ? expected : unwritten, count, why);
}

/* Runs the program with new rows each time, and compares what it leaves. Returns the runs; the first has the record of
 * all. */
static call *run(check_program *started, const program *of, lab12_arguments given)
{
    static uint64_t rows;
    const size_t count = (size_t)given.count, bytes = count * sizeof(float);
    lab12_memory *memory = check_memory(started);
    call *run = check_alloc((size_t)given.runs * sizeof *run);
    check_trace_begin(started);
    for (int r = 0; r < given.runs; r++) {
        run[r] = (call){.of = of, .program = started, .given = given};
        for (int k = 0; k < LAB12_ROWS; k++) {
            run[r].row[k] = new_array(&run[r]);
            check_random_floats(run[r].row[k], count, ++rows, 0.1f, 0.9f);
            run[r].row[k][0] = of == &total ? 0 : run[r].row[k][0]; /* what is added to a number near 0 hides it */
            memcpy(memory->row + (size_t)(r * LAB12_ROWS + k) * count, run[r].row[k], bytes);
        }
        of->compute(&run[r]);
    }
    check_poison(started, offsetof(lab12_memory, result), sizeof memory->result);
    check_call(started, of->name, &given, sizeof given, NULL, 0);
    run[0].trace = check_trace(started);
    const check_finding why = explain_silence(&run[0]);
    for (int r = 0; r < given.runs; r++) {
        for (int k = 0; k < LAB12_ROWS; k++) {
            check_numbers(&run[r], r, k, run[r].u[k], why);
            check_numbers(&run[r], r, LAB12_ROWS + k, run[r].v[k], why);
        }
    }
    return run;
}

/* ---- The record -------------------------------------------------------------------------------------------------- */

/* The host does not wait; where it may wait for copies, not for a kernel. */
static void check_host(const call *now)
{
    if (!now->of->waits) check_returns_at_once(now->trace, now->span);
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends && now->of->waits; op++) {
        const lab_trace_op *wait = op->kind == LAB_OP_KERNEL ? lab_relations_waited_by(relations, op->id) : NULL;
        CHECK_THAT(!wait || !wait->host_waits || wait > now->span.ends, CHECK_RULE,
                   check_text("%s waits for a kernel", now->of->name), .at = check_at(wait),
                   .expected = "no wait of the host for a kernel",
                   .found = check_text("a wait (%s)", lab_op_kind_name(wait->kind)),
                   .cause = "the host may wait for the copy, and this waits for a kernel too");
    }
}

/* Fails the check unless rows come from pinned memory: those of program 2 by way of one piece of it. */
static void check_sources(const call *now)
{
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind != LAB_OP_COPY_HTOD) continue;
        if (!first) first = op;
        CHECK_THAT(op->host_memory == LAB_HOST_PINNED, CHECK_RULE,
                   check_text("%s copies from ordinary memory", now->of->name), .at = check_at(op),
                   .expected = "copies from pinned memory", .found = "a copy from ordinary memory");
        CHECK_THAT(!now->of->waits || check_host_access(op).address == check_host_access(first).address, CHECK_RULE,
                   check_text("%s does not take its rows by way of the staging memory", now->of->name),
                   .at = check_at(op), .expected = "each row copied from where the first was copied from",
                   .found = "a copy from other memory", .cause = "there is staging memory for one row alone");
    }
}

/* Fails the check unless the operations are those of the program, each on its stream. */
static void check_work_of(const call *now)
{
    static const char *const mark[] = LAB12_MARKS, *const name[] = {"work->one", "work->two", "work->three"};
    check_work work[MOST_KINDS];
    int sorts = 0;
    memcpy(work, now->of->work, sizeof work);
    for (; sorts < MOST_KINDS && work[sorts].count; sorts++) {
        const uint64_t which = work[sorts].stream;
        if (which == ANY) continue;
        work[sorts].stream = check_mark(now->trace, mark[which - FIRST])->stream;
        work[sorts].on = name[which - FIRST];
    }
    check_enqueued(now->program, now->span, work, sorts);
}

static void check_record(call *now)
{
    now->span = check_span_of(now->trace, now->of->name);
    check_host(now);
    check_work_of(now);
    check_sources(now);
    check_chain(now->trace, now->span, now->of->span);
    check_keeps_nothing(now->trace, now->span);
}

/* Proves that the results of these runs came from the rows by way of the kernels. */
static void prove(const call *run, int runs)
{
    check_passage *all = check_alloc((size_t)runs * sizeof run->passage);
    size_t passages = 0;
    for (int r = 0; r < runs; r++)
        for (size_t k = 0; k < run[r].passages; k++) all[passages++] = run[r].passage[k];
    check_flow(
        run->program, run->trace,
        &(check_way){.function = run->of->name,
                     .passage = all,
                     .passages = passages,
                     .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count)"},
                                {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], "
                                               "int count)"},
                                {"kernels.cu", "add(float sum[count], const float x[count], int count)"},
                                run->of == &smooth ? (check_kernel){NULL, "smooth"}
                                                   : (check_kernel){"kernels.cu", "gather(float to[count], float "
                                                                                  "*table[1], int count)"}}});
}

/* Fails the check if the program differs from the given one in too many lines. */
static void check_lines(const program *of)
{
    const int changed = check_changed_lines(of->name);
    CHECK_THAT(
        changed <= LAB12_LINES, CHECK_RULE, check_text("%s differs in more lines than allowed", of->name),
        .at = check_at_name(of->name), .expected = check_text("at most %d lines", LAB12_LINES),
        .found = check_text("%d", changed),
        .cause = "a program that is written again is no longer the one that was to be mended; what you add outside of "
                 "the programs counts, and layout does not");
}

/* ---- The programs ------------------------------------------------------------------------------------------------ */

/* The body of a check runs SEEDS times, and each run of a program under one seed has an order of its own: a hundred. */
enum { SEEDS = 4, ORDERS = 25, SHORT = 64 };

/* A program is mended: right in each of many orders, no slower than it must be, and still the same program. */
static void check_mended(const program *of)
{
    check_program *started = check_start(sizeof(lab12_memory));
    call *once = run(started, of, (lab12_arguments){.count = check_draw(SHORT, 2 * SHORT), .runs = 1});
    check_record(once);
    prove(once, 1);
    const int count = SHORT + (int)(check_random_u64(0, 0) % SHORT);
    prove(run(started, of, (lab12_arguments){.count = count, .runs = ORDERS}), ORDERS);
    check_lines(of);
}

#define MENDED .points = 9, .counts_lines = true, .schedule = "adversarial", .seeds = SEEDS

CHECK(total_is_right, MENDED, .title = "Program 1: the total of all rows",
      .hints = {"Program 1: which operation does nothing make the kernels wait for?",
                "One operation is on another stream than the others. Which streams does the null stream order?",
                "lab_memset_async on work->one instead of the null stream."})
{
    check_mended(&total);
}

CHECK(staging_is_left_alone, MENDED, .title = "Program 2: rows through one piece of pinned memory",
      .hints = {"Program 2: what still reads the staging memory when the next row is written there?",
                "The host writes, so the host must wait: for the copy, and for nothing behind it. An event stands for "
                "it already.",
                "lab_event_synchronize(copied) before lab_host_writes; before the first record it returns at once."})
{
    check_mended(&stage);
}

CHECK(both_are_waited_for, MENDED, .title = "Program 3: a third stream needs two results",
      .hints = {
          "Program 3: which of the two results does the wait stand for?",
          "An event stands for its latest record. A wait keeps what it found when it was called.",
          "lab_stream_wait_event(work->three, done) behind each of the two records; or an event for each stream."})
{
    check_mended(&meet);
}

CHECK(lent_block_is_safe, MENDED, .title = "Program 4: a block of the pool is read once more",
      .hints = {
          "Program 4: who may write the block after lab_mempool_free, and who still reads it?",
          "The launch names the table and not the block, so the pool does not know of the stream. Lab 05 has the call.",
          "lab_mempool_record_stream(work->pool, work->block, work->two) before lab_mempool_free."})
{
    check_mended(&lend);
}

CHECK(pipeline_does_not_stop, MENDED, .title = "Program 5: two steps for each row",
      .hints = {"Program 5: right numbers: but what could run at the same time?",
                "One call waits for everything, on the host. Which two operations does it have to order?",
                "lab_event_record(work->event[0], work->one), then lab_stream_wait_event(work->two, work->event[0])."})
{
    check_mended(&pipeline);
}

CHECK(graph_has_its_memory, MENDED, .title = "Program 6: two kernels as a graph",
      .hints = {
          "Program 6: what does the graph know of the block t?",
          "A graph keeps the addresses of the captured calls. The memory must be there until the launch is done.",
          "lab_mempool_free(work->pool, t, work->one) right behind lab_graph_launch, on whose stream it is ordered."})
{
    check_mended(&replay);
}

CHECK(buffers_are_read_first, MENDED, .title = "Program 7: copies and kernels take turns with two buffers",
      .hints = {
          "Program 7: row 2 goes to the buffer of row 0. Who still reads that?",
          "Each copy has an edge to its kernel. The way back is missing: from a kernel to the copy that fills its "
          "buffer again.",
          "Record work->event[2 + k % 2] on work->two behind the kernel; let work->one wait for it before the copy."})
{
    check_mended(&two_buffers);
}

CHECK(rounds_do_not_mix, MENDED, .checks_kernels = true, .title = "Program 8: the mean with the right neighbour",
      .hints = {"Program 8: a thread is a round ahead of its left neighbour. What does that neighbour read?",
                "The barrier stands between the writes of a round and the reads. What stands between these reads and "
                "the writes of the next round?",
                "A second __syncthreads() at the end of the loop's body, which every thread reaches."})
{
    check_program *started = check_start(sizeof(lab12_memory));
    const lab12_arguments once = {.count = SHORT, .runs = 1, .rounds = 1},
                          often = {.count = 2 * LAB12_THREADS - 33, .runs = ORDERS - 1, .rounds = 4};
    prove(run(started, &smooth, once), once.runs);
    prove(run(started, &smooth, often), often.runs);
    check_lines(&smooth);
}

/* ---- All of them, by halves: a program that is wrong costs its half ---------------------------------------------- */

static const program *const programs[LAB12_PROGRAMS] = {&total,    &stage,  &meet,        &lend,
                                                        &pipeline, &replay, &two_buffers, &smooth};
enum { HALF = LAB12_PROGRAMS / 2 };

#define FIRST_HALF "total_is_right, staging_is_left_alone, both_are_waited_for, lent_block_is_safe"
#define SECOND_HALF "pipeline_does_not_stop, graph_has_its_memory, buffers_are_read_first, rounds_do_not_mix"

#define LONG_ROWS                                                                                                      \
    .points = 3, .hints = {"Which program is named, and which of its numbers are wrong?",                              \
                           "The programs were right with short rows on the CPU device. Does yours rely on a length?",  \
                           "The number of elements is work->count, and of bytes work->bytes."}

static void check_long_rows(int first)
{
    for (int k = first; k < first + HALF; k++) {
        check_program *started = check_start(sizeof(lab12_memory));
        const call *now = run(started, programs[k], (lab12_arguments){.count = LAB12_MOST, .runs = 1, .rounds = 3});
        if (programs[k] == &two_buffers) check_artifact_trace(now->trace, "lab12_two_buffers");
        prove(now, 1);
    }
}

CHECK(long_rows_of_1_to_4, LONG_ROWS, .after = FIRST_HALF, .title = "Programs 1 to 4 on your device, with longer rows")
{
    check_long_rows(0);
}

CHECK(long_rows_of_5_to_8, LONG_ROWS, .after = SECOND_HALF, .title = "Programs 5 to 8 on your device, with longer rows")
{
    check_long_rows(HALF);
}

/* Fails the check unless the programs from `first` on broke the rules that the file says. */
static void check_rules(int first)
{
    static const int broken[LAB12_PROGRAMS] = {4, 7, 2, 9, 6, 11, 10, 12};
    int found[LAB12_PROGRAMS];
    check_table(found, sizeof found, "lab12_rule");
    for (int k = first; k < first + HALF; k++) {
        CHECK_THAT(
            found[k] == broken[k], CHECK_WRONG_RESULT, check_text("the rule for program %d is another one", k + 1),
            .at = check_at_name(check_text("lab12_rule[%d]", k)),
            .expected = check_text("the number of the rule that says most exactly what was wrong in program %d", k + 1),
            .found = check_text("%d", found[k]),
            .cause = "your mend keeps another rule: the lesson has them with their numbers");
    }
}

#define RULE_HINTS                                                                                                     \
    {                                                                                                                  \
        "What did your mend add? Which rule asks for exactly that?",                                                   \
            "Several rules may fit a little. Take the one whose nouns are those of the program.",                      \
            "Four of the twelve rules were kept by all programs: those about an event without a record, about "        \
            "blocking streams, about clocks and about ordinary memory."                                                \
    }

CHECK(rules_of_1_to_4, .points = 8, .after = FIRST_HALF, .title = "The rules that programs 1 to 4 broke",
      .hints = RULE_HINTS)
{
    check_rules(0);
}

CHECK(rules_of_5_to_8, .points = 8, .after = SECOND_HALF, .title = "The rules that programs 5 to 8 broke",
      .hints = RULE_HINTS)
{
    check_rules(HALF);
}

#define FAILURES CHECK_OF_FAILURES, .points = 3, .hints = {[2] = "LAB_TRY around each call that you added."}

static void check_failures_from(int first)
{
    const lab12_arguments given = {.count = check_draw(SHORT, 2 * SHORT), .runs = 1};
    for (int k = first; k < first + HALF && programs[k] != &smooth; k++)
        check_failures(&(check_failing){.function = programs[k]->name,
                                        CHECK_GIVEN(given),
                                        .memory_bytes = sizeof(lab12_memory),
                                        .also = CHECK_FAIL_WAITS,
                                        .at_once = true});
}

CHECK(failures_of_1_to_4, FAILURES, .after = FIRST_HALF, .title = "Programs 1 to 4: failures are passed on")
{
    check_failures_from(0);
}

CHECK(failures_of_5_to_8, FAILURES, .after = SECOND_HALF, .title = "Programs 5 to 8: failures are passed on")
{
    check_failures_from(HALF);
}
