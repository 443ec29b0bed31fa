/* The checks of lab 12. Each mended program: its numbers in a hundred orders, from the record what waits for what and
 * whether the host stood still, and how many lines differ from the starter. */
#include "case.h"
#include "find.h"
#include "lab12.h"
#include "shared.h"

#include <string.h>

CHECK_LAB("lab12", "Audit");

/* ---- What the programs compute ----------------------------------------------------------------------------------- */

/* What a program leaves as it was. */
static void untouched(float *to, const float *const *from, const check_case_run *now)
{
    (void)from;
    memset(to, LAB12_UNWRITTEN, now->count * sizeof *to);
}

static void advanced_twice(float *to, const float *const *from, const check_case_run *now)
{
    check_advanced(to, from, now);
    check_advanced(to, (const float *[]){to}, now);
}

/* A row that is advanced and mixed with itself. */
static void advanced_and_mixed(float *to, const float *const *from, const check_case_run *now)
{
    check_advanced(to, from, now);
    check_mixed(to, (const float *[]){to, from[0]}, now);
}

static void added(float *to, const float *const *from, const check_case_run *now)
{
    memset(to, 0, now->count * sizeof *to);
    for (int k = 0; k < LAB12_ROWS; k++)
        for (size_t i = 0; i < now->count; i++) to[i] += from[k][i];
}

/* Each block by itself; behind the numbers there are zeros. */
static void smoothed(float *to, const float *const *from, const check_case_run *now)
{
    const lab12_arguments *given = now->arguments;
    for (size_t first = 0; first < now->count; first += LAB12_THREADS) {
        const size_t left = now->count - first, count = left < LAB12_THREADS ? left : LAB12_THREADS;
        float value[LAB12_THREADS] = {0};
        memcpy(value, from[0] + first, count * sizeof *value);
        for (int round = 0; round < given->rounds; round++)
            for (int t = 0; t < LAB12_THREADS; t++) /* in this order, the right neighbour is still the old one */
                value[t] = 0.5f * value[t] + 0.5f * value[t + 1 < LAB12_THREADS ? t + 1 : t];
        memcpy(to + first, value, count * sizeof *value);
    }
}

/* ---- The programs ------------------------------------------------------------------------------------------------ */

/* Why numbers may be wrong though the order checker found nothing: what no call names must be declared. */
static check_finding explain_stage(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *copy = check_last_op(now->trace, LAB_OP_COPY_HTOD);
    (void)array, (void)element;
    if (!copy || copy->host_memory != LAB_HOST_PINNED || check_count_ops(now->trace, LAB_OP_HOST_WRITE))
        return (check_finding){.cause = NULL};
    return (check_finding){.at = check_at(copy),
                           .cause = "the line with lab_host_writes is gone: without it the order checker does not know "
                                    "that the host writes what this copies"};
}

static check_finding explain_lend(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *gather = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .name = "gather"});
    (void)array, (void)element;
    if (!gather || gather->declared) return (check_finding){.cause = NULL};
    return (check_finding){.at = check_at(gather),
                           .cause = "the line with lab_next_uses is gone: without it the order checker does not know "
                                    "that this kernel reads the block"};
}

/* All of a run's results are copied out at once, so that nothing names the total's memory but the additions. */
static check_finding explain_total(const check_case_run *now, int array, size_t element)
{
    const lab_trace_op *added = check_find_last(now->trace, (check_sought){LAB_OP_KERNEL, .name = "add"});
    (void)array, (void)element;
    if (!added) return (check_finding){.cause = NULL};
    return check_explain_memory(now->span, check_device_access(added), (check_finding){.cause = NULL});
}

enum { ANY, FIRST, SECOND, THIRD }; /* streams */
enum { MOST_KINDS = 3 };

typedef struct program {
    check_case call;
    check_work work[MOST_KINDS]; /* that it enqueues, on FIRST and so on; ends with a count of 0 */
    int span;                    /* the longest chain, in operations */
    bool waits;                  /* the host may wait, but for no kernel */
} program;

#define CALL                                                                                                           \
    .memory_bytes = sizeof(lab12_memory), .begins = LAB12_STARTS, .ends = LAB12_STOPS, .row = "run",                   \
    .rows_at = offsetof(lab12_arguments, runs), .given = CHECK_CASE_GIVEN(lab12_arguments, count, {.name = NULL})
#define KERNELS                                                                                                        \
    .kernel = {{"kernels.cu", "advance(float to[count], const float from[count], int count)"},                         \
               {"kernels.cu", "mix(float to[count], const float a[count], const float b[count], int count)"},          \
               {"kernels.cu", "add(float sum[count], const float x[count], int count)"},                               \
               {"kernels.cu", "gather(float to[count], float *table[1], int count)"}}
#define EACH(of) of(0), of(1), of(2), of(3), of(4), of(5)
#define IN_row(k) offsetof(lab12_memory, run[0].row), .place = k
#define IN_u(k) offsetof(lab12_memory, run[0].result), .place = k
#define IN_v(k) offsetof(lab12_memory, run[0].result), .place = LAB12_ROWS + k
#define AT(array, k) #array "[" #k "]", IN_##array(k), .stride = sizeof(lab12_run)
#define ROW(k)                                                                                                         \
    {                                                                                                                  \
        AT(row, k), .low = 0.1f, .high = 0.9f                                                                          \
    }
#define MADE(array, k, how, ...)                                                                                       \
    {                                                                                                                  \
        AT(array, k), .is = how, .from = { __VA_ARGS__ }                                                               \
    }
#define LEFT(array, k)                                                                                                 \
    {                                                                                                                  \
        AT(array, k), .is = untouched, .unfollowed = true                                                              \
    }
#define U(k) MADE(u, k, check_advanced, "row[" #k "]")
#define V(k) MADE(v, k, check_mixed, "u[" #k "]", "row[" #k "]")
#define NO_U(k) LEFT(u, k)
#define NO_V(k) LEFT(v, k)
#define LENT(array, k)                                                                                                 \
    {                                                                                                                  \
        AT(array, k), .is = check_copied, .from = {"row[" #k "]"}, .unfollowed = true                                  \
    }
#define NO_OTHER(array) LEFT(array, 1), LEFT(array, 2), LEFT(array, 3), LEFT(array, 4), LEFT(array, 5)

static const program total = {
    {CALL, KERNELS, .function = "lab12_total", .explain = explain_total, .starts_with_0 = true,
     .array = {EACH(ROW), EACH(NO_U), MADE(v, 0, added, "row[0]", "row[1]", "row[2]", "row[3]", "row[4]", "row[5]"),
               NO_OTHER(v)}},
    .work = {{LAB_OP_FILL, .count = 1}, {LAB_OP_KERNEL, "add", LAB12_ROWS, .stream = FIRST}},
    .span = LAB12_ROWS + 1};
static const program stage = {
    {CALL, KERNELS, .function = "lab12_stage", .explain = explain_stage, .array = {EACH(ROW), EACH(U), EACH(NO_V)}},
    .work = {{LAB_OP_COPY_HTOD, NULL, LAB12_ROWS, .stream = FIRST},
             {LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = SECOND}},
    .span = LAB12_ROWS + 1,
    .waits = true};
static const program meet = {
    {CALL, KERNELS, .function = "lab12_meet",
     .array = {EACH(ROW), U(0), U(1), LEFT(u, 2), LEFT(u, 3), LEFT(u, 4), LEFT(u, 5),
               MADE(v, 0, check_mixed, "u[0]", "u[1]"), NO_OTHER(v)}},
    .work = {{LAB_OP_KERNEL, "advance", .count = 2}, {LAB_OP_KERNEL, "mix", 1, .stream = THIRD}},
    .span = 2};
static const program lend = {
    {CALL, KERNELS, .function = "lab12_lend", .explain = explain_lend,
     .array = {EACH(ROW), LENT(u, 0), NO_OTHER(u), MADE(v, 0, advanced_and_mixed, "row[1]"), NO_OTHER(v)}},
    .work = {{LAB_OP_KERNEL, "gather", 1, .stream = SECOND},
             {LAB_OP_KERNEL, "advance", 1, .stream = FIRST},
             {LAB_OP_KERNEL, "mix", 1, .stream = FIRST}},
    .span = 3};
static const program pipeline = {{CALL, KERNELS, .function = "lab12_pipeline", .array = {EACH(ROW), EACH(U), EACH(V)}},
                                 .work = {{LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = FIRST},
                                          {LAB_OP_KERNEL, "mix", LAB12_ROWS, .stream = SECOND}},
                                 .span = LAB12_ROWS + 1};
static const program replay = {{CALL, KERNELS, .function = "lab12_replay",
                                .array = {EACH(ROW), MADE(u, 0, advanced_twice, "row[0]"), NO_OTHER(u),
                                          MADE(v, 0, advanced_and_mixed, "row[1]"), NO_OTHER(v)}},
                               .work = {{LAB_OP_GRAPH_LAUNCH, NULL, 1, .stream = FIRST},
                                        {LAB_OP_KERNEL, "advance", 1, .stream = SECOND},
                                        {LAB_OP_KERNEL, "mix", 1, .stream = SECOND}},
                               .span = 2};
static const program two_buffers = {
    {CALL, KERNELS, .function = "lab12_two_buffers", .array = {EACH(ROW), EACH(U), EACH(NO_V)}},
    .work = {{LAB_OP_COPY_HTOD, NULL, LAB12_ROWS, .stream = FIRST},
             {LAB_OP_KERNEL, "advance", LAB12_ROWS, .stream = SECOND}},
    .span = LAB12_ROWS + 1};
static const program smooth = {.call = {CALL, .kernel = {{NULL, "smooth"}}, .function = "lab12_smooth",
                                        .array = {EACH(ROW), MADE(u, 0, smoothed, "row[0]"), NO_OTHER(u), EACH(NO_V)}}};

/* ---- The record -------------------------------------------------------------------------------------------------- */

/* The host does not wait; where it may wait for copies, not for a kernel. */
static void check_host(const program *of, const check_case_run *now)
{
    if (!of->waits) check_returns_at_once(now->trace, now->span);
    lab_relations *relations = check_relations(now->trace);
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends && of->waits; op++) {
        const lab_trace_op *wait = op->kind == LAB_OP_KERNEL ? lab_relations_waited_by(relations, op->id) : NULL;
        CHECK_THAT(!wait || !wait->host_waits || wait > now->span.ends, CHECK_RULE,
                   check_text("%s waits for a kernel", now->span.function), .at = check_at(wait),
                   .expected = "no wait of the host for a kernel",
                   .found = check_text("a wait (%s)", lab_op_kind_name(wait->kind)),
                   .cause = "the host may wait for the copy, and this waits for a kernel too");
    }
}

/* Fails the check unless rows come from pinned memory: those of program 2 by way of one piece of it. */
static void check_sources(const program *of, const check_case_run *now)
{
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = now->span.begins; op < now->span.ends; op++) {
        if (op->kind != LAB_OP_COPY_HTOD) continue;
        if (!first) first = op;
        CHECK_THAT(op->host_memory == LAB_HOST_PINNED, CHECK_RULE,
                   check_text("%s copies from ordinary memory", now->span.function), .at = check_at(op),
                   .expected = "copies from pinned memory", .found = "a copy from ordinary memory");
        CHECK_THAT(!of->waits || check_host_access(op).address == check_host_access(first).address, CHECK_RULE,
                   check_text("%s does not take its rows by way of the staging memory", now->span.function),
                   .at = check_at(op), .expected = "each row copied from where the first was copied from",
                   .found = "a copy from other memory", .cause = "there is staging memory for one row alone");
    }
}

/* Fails the check unless the operations are those of the program, each on its stream. */
static void check_work_of(const program *of, const check_case_run *now)
{
    static const char *const mark[] = LAB12_MARKS, *const name[] = {"work->one", "work->two", "work->three"};
    check_work work[MOST_KINDS];
    int sorts = 0;
    memcpy(work, of->work, sizeof work);
    for (; sorts < MOST_KINDS && work[sorts].count; sorts++) {
        const uint64_t which = work[sorts].stream;
        if (which == ANY) continue;
        work[sorts].stream = check_mark(now->trace, mark[which - FIRST])->stream;
        work[sorts].on = name[which - FIRST];
    }
    check_enqueued(now->program, now->span, work, sorts);
}

/* The record of the only run of a call. */
static void check_record(const program *of, check_case_run now)
{
    now.span = check_span_of(now.trace, of->call.function);
    check_host(of, &now);
    check_work_of(of, &now);
    check_sources(of, &now);
    check_chain(now.trace, now.span, of->span);
    check_keeps_nothing(now.trace, now.span);
}

/* Fails the check if the program differs from the given one in too many lines. */
static void check_lines(const program *of)
{
    const char *name = of->call.function;
    const int changed = check_changed_lines(name);
    CHECK_THAT(
        changed <= LAB12_LINES, CHECK_RULE, check_text("%s differs in more lines than allowed", name),
        .at = check_at_name(name), .expected = check_text("at most %d lines", LAB12_LINES),
        .found = check_text("%d", changed),
        .cause = "a program that is written again is no longer the one that was to be mended; what you add outside of "
                 "the programs counts, and layout does not");
}

/* ---- Mended programs --------------------------------------------------------------------------------------------- */

/* The body of a check runs SEEDS times, and each run of a program under one seed has an order of its own: a hundred. */
enum { SEEDS = 4, ORDERS = LAB12_RUNS, SHORT = 64 };

/* A program is mended: right in each of many orders, no slower than it must be, and still the same program. */
static void check_mended(const program *of)
{
    check_program *started = check_start(sizeof(lab12_memory));
    const lab12_arguments short_rows = {.count = check_draw(SHORT, 2 * SHORT), .runs = 1},
                          orders = {.count = check_draw(SHORT, 2 * SHORT), .runs = ORDERS};
    const check_case_run once = check_case_with(&of->call, started, &short_rows);
    check_record(of, once);
    check_case_prove(&once);
    check_case_proven(&of->call, started, &orders);
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
    check_case_proven(&smooth.call, started, &once);
    check_case_proven(&smooth.call, started, &often);
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
        const lab12_arguments given = {.count = LAB12_MOST, .runs = 1, .rounds = 3};
        const check_case_run now = check_case_with(&programs[k]->call, NULL, &given);
        if (programs[k] == &two_buffers) check_artifact_trace(now.trace, "lab12_two_buffers");
        check_case_prove(&now);
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
        check_failures(&(check_failing){.function = programs[k]->call.function,
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
