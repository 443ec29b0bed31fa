/* The checks of lab 05: the numbers of pools, the driver's allocations, and the student's own pool beside a right
 * one. */
#include "check.h"
#include "shared.h"

#include <stdio.h>
#include <string.h>

CHECK_LAB("lab05", "Memory pools");

enum { UNIT = 512 };

static size_t rounded(size_t bytes) { return (bytes + UNIT - 1) / UNIT * UNIT; }

static int count_ops(const lab_trace *trace, lab_op_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        if (trace->op[i].kind != kind) continue;
        count++;
        check_locate(&trace->op[i]);
    }
    return count;
}

/* What the pools of a program hold, as the record shows it. */
typedef struct pool_bytes {
    size_t used, total, most; /* used: in whole units. total: from the driver, at the end and at most */
} pool_bytes;

static void follow_pool(pool_bytes *now, const lab_trace_op *op)
{
    if (op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_PINNED_POOL_ALLOC) now->used += rounded(op->bytes);
    if (op->kind == LAB_OP_POOL_FREE || op->kind == LAB_OP_PINNED_POOL_FREE) now->used -= rounded(op->bytes);
    if (op->kind == LAB_OP_MEMORY_ALLOC) now->total += op->bytes;
    if (op->kind == LAB_OP_MEMORY_FREE) now->total -= op->bytes;
    if (now->total > now->most) now->most = now->total;
}

static pool_bytes follow_pools(const lab_trace *trace)
{
    pool_bytes now = {0};
    for (size_t i = 0; i < trace->ops; i++) follow_pool(&now, &trace->op[i]);
    return now;
}

/* ------------------------------------------------------------------------------------------------------
 * Numbers in and out
 */

static const float *fill(check_program *program, int count, uint64_t stream)
{
    lab05_memory *memory = check_memory(program);
    float *input = check_alloc((size_t)count * sizeof(float));
    check_random_floats(input, (size_t)count, stream, 1.0f, 2.0f);
    memcpy(memory->input, input, (size_t)count * sizeof(float));
    check_poison(program, offsetof(lab05_memory, output), sizeof memory->output);
    return input;
}

/* Compares the output, and returns it. */
static const float *check_output(check_program *program, const float *expected, int count, const char *function)
{
    size_t bytes = (size_t)count * sizeof(float);
    float *found = check_alloc(bytes);
    check_snapshot(program, found, offsetof(lab05_memory, output), bytes);
    check_difference difference = {0};
    check_compare_floats(&difference, 0, expected, found, (size_t)count);
    if (difference.unwritten == (size_t)count) check_cause("%s never wrote to output", function);
    check_equal(&difference, "%s gives wrong numbers", function);
    return found;
}

static const char by_smooth[] = "smooth(float to[count], const float from[count], int count)",
                  by_twice[] = "twice(float x[count], int count)",
                  by_gather[] = "gather(float to[count], float *table[1], int count)";

/* Fails the check unless the output came from the input by way of this kernel. */
static void check_way_of(check_program *program, const lab_trace *trace, const char *function, const char *kernel,
                         check_bytes output, check_bytes input)
{
    const check_passage passage = {.output = output, .input = {input}};
    check_flow(
        program, trace,
        &(check_way){.function = function, .passage = &passage, .passages = 1, .kernel = {{"kernels.cu", kernel}}});
}

/* ------------------------------------------------------------------------------------------------------
 * Task 1
 */

/* The pool's numbers at the look after each step, as the record shows them. Returns the number of looks, which count
 * only in the order of the steps. */
static int read_sequence(size_t found[LAB05_LOOKS][3], const lab_trace *trace)
{
    pool_bytes now = {0};
    int looks = 0;
    for (size_t i = 0; i < trace->ops && looks < LAB05_LOOKS; i++) {
        const lab_trace_op *op = &trace->op[i];
        char name[sizeof LAB05_AFTER + 16];
        follow_pool(&now, op);
        snprintf(name, sizeof name, LAB05_AFTER "%d", looks);
        if (!check_is_mark(op, name)) continue;
        const size_t numbers[] = {now.used, now.total - now.used, now.total};
        memcpy(found[looks++], numbers, sizeof numbers);
    }
    return looks;
}

CHECK(sequence_is_predicted, .points = 15, .title = "Task 1: what the pool says, as predicted",
      .hints = {
          "Task 1: in what units does a pool hand out memory, and where does freed memory go?",
          "Sizes are rounded up to 512 bytes. What is freed stays in the pool: used becomes free, total does not "
          "change. Only free_all_blocks gives it back.",
          "400 bytes take 512; 1000 take 1024, cut from the free 4096, which leaves 3072; 3000 take exactly those. "
          "Two free neighbours are one block again."})
{
    static const size_t rule[][3] = {{0, 0, 0},       {512, 0, 512},      {0, 512, 512},   {0, 0, 0},
                                     {4096, 0, 4096}, {1024, 3072, 4096}, {4096, 0, 4096}, {0, 4096, 4096}};
    check_program *program = check_start(sizeof(lab05_memory));
    lab05_seen seen;
    size_t recorded[LAB05_LOOKS][3] = {{0}}, predicted[LAB05_LOOKS][3];
    check_trace_begin(program);
    check_call(program, "lab05_sequence", NULL, 0, &seen, sizeof seen);
    int looks = read_sequence(recorded, check_trace(program));
    if (looks == 1) check_cause("lab05_sequence is not written yet");
    for (int step = 0; step < LAB05_LOOKS; step++) {
        const size_t *found =
            memcmp(seen.found[step], rule[step], sizeof rule[step]) == 0 ? recorded[step] : seen.found[step];
        check_expected("step %d: used %zu, free %zu, total %zu", step, rule[step][0], rule[step][1], rule[step][2]);
        check_found("used %zu, free %zu, total %zu%s", found[0], found[1], found[2], step < looks ? "" : ", no look");
        CHECK_THAT(step < looks && memcmp(found, rule[step], sizeof rule[step]) == 0, CHECK_RULE,
                   "lab05_sequence does not make the steps that lab05.h describes");
    }
    check_table(predicted, sizeof predicted, "lab05_predicted");
    for (int step = 0; step < LAB05_LOOKS; step++) {
        const size_t *found = recorded[step], *says = predicted[step];
        check_expected("after step %d: used %zu, free %zu, total %zu", step, found[0], found[1], found[2]);
        check_found("lab05_predicted says used %zu, free %zu, total %zu", says[0], says[1], says[2]);
        CHECK_THAT(memcmp(found, says, sizeof rule[step]) == 0, CHECK_WRONG_RESULT,
                   "lab05_predicted is not what the pool said");
    }
}

/* ------------------------------------------------------------------------------------------------------
 * Tasks 2 to 4
 */

static void smooth_on_host(float *x, int count, int steps)
{
    for (int step = 0; step < steps; step++) {
        float first = x[0];
        for (int i = 0; i < count; i++) x[i] = 0.5f * (x[i] + (i + 1 < count ? x[i + 1] : first));
    }
}

CHECK(no_driver_allocation_in_the_loop, .points = 15, .title = "Task 2: a thousand steps, no allocation by the driver",
      .hints = {
          "Task 2: how many arrays are alive at the same time, and how many does your loop make?",
          "lab_array_empty takes its memory from the pool, lab_array_destroy gives it back: two arrays in turns are "
          "all that the device ever sees.",
          "In the loop: lab_array_empty(&next, ...); launch with LAB_ARGS(next, array, count); "
          "lab_array_destroy(array); array = next."})
{
    enum { COUNT = 1000, STEPS = 1000, MOST_ALLOCATIONS = 3 };
    check_program *program = check_start(sizeof(lab05_memory));
    const float *input = NULL, *found = NULL;
    for (int time = 0; time < 2; time++) {
        check_trace_begin(program);
        input = fill(program, COUNT, (uint64_t)time);
        float *expected = check_alloc(COUNT * sizeof(float));
        memcpy(expected, input, COUNT * sizeof(float));
        lab05_arguments given = {.count = COUNT, .steps = time ? STEPS : 3};
        smooth_on_host(expected, COUNT, given.steps);
        check_call(program, "lab05_smooth", &given, sizeof given, NULL, 0);
        found = check_output(program, expected, COUNT, "lab05_smooth");
    }
    const lab_trace *trace = check_trace(program);
    check_way_of(program, trace, "lab05_smooth", by_smooth, (check_bytes){found, sizeof(float[COUNT])},
                 (check_bytes){input, sizeof(float[COUNT])});
    check_expected("%d steps, each with the kernel smooth", STEPS);
    check_found("%d kernels", check_count_ops(trace, LAB_OP_KERNEL));
    CHECK_THAT(check_count_ops(trace, LAB_OP_KERNEL) == STEPS, CHECK_RULE, "lab05_smooth does not smooth step by step");
    int allocations = count_ops(trace, LAB_OP_MEMORY_ALLOC);
    check_expected("at most %d allocations by the driver for %d steps", MOST_ALLOCATIONS, STEPS);
    check_found("%d", allocations);
    check_cause(
        "memory is taken from the device again and again: either past the pool, or because nothing is given back");
    CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE, "lab05_smooth allocates from the driver inside its loop");
    int freed = count_ops(trace, LAB_OP_POOL_FREE), made = count_ops(trace, LAB_OP_POOL_ALLOC);
    check_expected("as many blocks given back as taken: %d", made);
    check_found("%d given back", freed);
    check_cause("the last array is yours too, when its numbers have gone to output");
    CHECK_THAT(made == freed, CHECK_LEAK, "lab05_smooth leaves blocks of the pool behind");
}

/* The size that halving leads to, rounding up (`up` is 1) or down (0). */
static int halved(int room, size_t limit, int up)
{
    while (rounded((size_t)room * sizeof(float)) > limit) room = (room + up) / 2;
    return room;
}

/* The poison after the last number of the output, which a call must leave as it is. */
enum { BEHIND = 64 };

static void look_behind(check_program *program, float behind[BEHIND], int count)
{
    const lab05_memory *memory = check_memory(program);
    memcpy(behind, memory->output + count, BEHIND * sizeof(float));
}

static void check_behind(check_program *program, const float *before, int count)
{
    float now[BEHIND];
    check_snapshot(program, now, offsetof(lab05_memory, output) + (size_t)count * sizeof(float), sizeof now);
    check_expected("%d numbers in output and nothing after them", count);
    check_found("something after them");
    check_cause("the last piece has fewer numbers than the buffer has room for");
    CHECK_THAT(memcmp(now, before, sizeof now) == 0, CHECK_WRONG_RESULT, "lab05_twice writes past the end of output");
}

CHECK(limit_is_kept, .points = 15, .title = "Task 3: within the limit, in as few pieces as it allows",
      .hints = {
          "Task 3: what does lab_mempool_alloc return when the limit does not allow it, and what can you do then?",
          "LAB_ERROR_OUT_OF_MEMORY is an answer here: halve what you ask for, and ask again. Then one buffer "
          "serves all pieces, one after another.",
          "room = count; while the status is OUT_OF_MEMORY and room > 1, room = (room + 1) / 2. Then for first = 0, "
          "room, 2 room, ...: copy in, launch twice, copy out; the last piece is smaller. Free the buffer."})
{
    static const struct {
        int count;
        size_t limit;
    } cases[] = {{100, 1 << 20}, {20000, 30000}, {LAB05_MOST, 1024}, {1025, 4096}};
    check_program *program = check_start(sizeof(lab05_memory));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int count = cases[i].count, room = halved(count, cases[i].limit, 1), least = halved(count, cases[i].limit, 0);
        check_trace_begin(program);
        const float *input = fill(program, count, i);
        float *expected = check_alloc((size_t)count * sizeof(float));
        for (int k = 0; k < count; k++) expected[k] = 2.0f * input[k];
        lab05_arguments given = {.count = count, .limit = cases[i].limit};
        lab05_left left;
        float behind[BEHIND] = {0};
        bool ends_early = count + BEHIND <= LAB05_MOST;
        if (ends_early) look_behind(program, behind, count);
        check_call(program, "lab05_twice", &given, sizeof given, &left, sizeof left);
        const float *found = check_output(program, expected, count, "lab05_twice");
        if (ends_early) check_behind(program, behind, count);
        const lab_trace *trace = check_trace(program);
        const pool_bytes pools = follow_pools(trace);
        check_expected("the limit still %zu bytes, at most that much taken", cases[i].limit);
        check_found("limit %zu, %zu bytes taken", left.limit, pools.most);
        CHECK_THAT(left.limit == cases[i].limit && pools.most <= cases[i].limit, CHECK_RULE,
                   "lab05_twice does not keep the pool's limit");
        check_expected("nothing in use at the end");
        check_found("%zu bytes in use", pools.used);
        check_cause("lab_mempool_free is not called at the end, or not for this buffer");
        CHECK_THAT(pools.used == 0, CHECK_LEAK, "lab05_twice does not give its buffer back");
        int pieces = count_ops(trace, LAB_OP_KERNEL), fewest = (count + room - 1) / room;
        check_expected("%d numbers in %d pieces of at most %d", count, fewest, room);
        check_found("%d pieces", pieces);
        check_cause(pieces > fewest ? "a buffer smaller than halving leads to"
                                    : "not all numbers go through the kernel");
        CHECK_THAT(pieces == fewest || pieces == (count + least - 1) / least, CHECK_RULE,
                   "lab05_twice does not use as large a buffer as the limit allows");
        check_way_of(program, trace, "lab05_twice", by_twice, (check_bytes){found, (size_t)count * sizeof(float)},
                     (check_bytes){input, (size_t)count * sizeof(float)});
    }
}

/* Whether a copy reads a block of the pinned pool. The block is in use: the library refuses a copy from one that is
 * not. */
static bool is_from_block(const lab_trace *trace, const lab_trace_op *copy)
{
    uint64_t address = 0;
    for (int k = 0; k < copy->accesses; k++)
        if (copy->access[k].host) address = copy->access[k].address;
    for (const lab_trace_op *op = trace->op; op < copy; op++)
        if (op->kind == LAB_OP_PINNED_POOL_ALLOC && address - op->object < op->bytes) return true;
    return false;
}

CHECK(upload_goes_on, .points = 10, .title = "Task 4: rows through pinned blocks, one wait for all",
      .hints = {"Task 4: when may a pinned block be given back to the pool?",
                "At once: the pool knows which copy uses the block, and hands it out again only when that is done.",
                "For each row: lab_pinned_mempool_alloc, memcpy, lab_array_set_async from the block, "
                "lab_pinned_mempool_free. After the loop: lab_stream_synchronize."})
{
    enum { LENGTH = LAB05_MOST / LAB05_ROWS };
    check_program *program = check_start(sizeof(lab05_memory));
    lab05_memory *memory = check_memory(program);
    float(*row)[LENGTH] = check_alloc(LAB05_ROWS * sizeof *row),
    (*found)[LENGTH] = check_alloc(LAB05_ROWS * sizeof *found);
    check_passage rows[LAB05_ROWS];
    check_trace_begin(program);
    for (int k = 0; k < LAB05_ROWS; k++) {
        check_random_floats(row[k], LENGTH, (uint64_t)k, -1.0f, 1.0f);
        rows[k] = (check_passage){.output = {found[k], sizeof found[k]}, .input = {{row[k], sizeof row[k]}}};
    }
    memcpy(memory->row, row, sizeof memory->row);
    check_poison(program, offsetof(lab05_memory, arrived), sizeof memory->arrived);
    check_call(program, "lab05_upload", NULL, 0, NULL, 0);
    check_snapshot(program, found, offsetof(lab05_memory, arrived), LAB05_ROWS * sizeof *found);
    check_difference difference = {.array = "row"};
    for (int k = 0; k < LAB05_ROWS; k++) check_compare_floats(&difference, (size_t)k, row[k], found[k], LENGTH);
    if (difference.arrays == LAB05_ROWS - 1 && difference.last_array == LAB05_ROWS - 2)
        check_cause("a block was filled with the next row before the copy that uses it was done");
    const lab_trace *trace = check_trace(program);
    if (check_count_ops(trace, LAB_OP_PINNED_POOL_ALLOC) == 0) check_cause("no pinned block was taken");
    check_equal(&difference, "lab05_upload leaves wrong numbers on the device");
    check_flow(program, trace,
               &(check_way){.function = "lab05_upload", .passage = rows, .passages = LAB05_ROWS, .no_kernel = true});
    int copies = 0, waits = 0;
    for (size_t i = 0; i < trace->ops && copies < LAB05_ROWS; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->host_waits && copies) {
            waits++;
            check_locate(op);
        }
        if (op->kind != LAB_OP_COPY_HTOD) continue;
        copies++;
        if (!is_from_block(trace, op)) check_locate(op);
        check_expected("copies from blocks of the pinned pool");
        check_found("a copy from other memory");
        CHECK_THAT(is_from_block(trace, op), CHECK_RULE, "lab05_upload copies past its pinned blocks");
    }
    check_expected("all %d copies enqueued, then one wait", LAB05_ROWS);
    check_found("%d waits before the last copy", waits);
    CHECK_THAT(waits == 0 && copies == LAB05_ROWS, CHECK_RULE, "lab05_upload waits between its rows");
    const size_t used = follow_pools(trace).used;
    check_expected("nothing in use at the end");
    check_found("%zu bytes in use", used);
    CHECK_THAT(used == 0, CHECK_LEAK, "lab05_upload does not give its blocks back");
}

/* ------------------------------------------------------------------------------------------------------
 * Task 5
 */

/* What the record shows of the loan; NULL for what is missing. */
typedef struct loan_record {
    const lab_trace_op *lent;    /* the block's allocation, the first on the owner */
    const lab_trace_op *launch;  /* of gather */
    const lab_trace_op *freed;   /* the block */
    const lab_trace_op *again;   /* the last allocation on the owner, of the same size */
    const lab_trace_op *cleared; /* the fill after that */
} loan_record;

static loan_record read_loan(const lab_trace *trace)
{
    loan_record seen = {.launch = NULL};
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        const bool on_owner = seen.lent && op->stream == seen.lent->stream;
        if (op->kind == LAB_OP_POOL_ALLOC && !seen.lent) seen.lent = op;
        if (op->kind == LAB_OP_KERNEL && strcmp(op->name, "gather") == 0 && !seen.launch) seen.launch = op;
        const bool frees = op->kind == LAB_OP_POOL_FREE && seen.lent && op->object == seen.lent->object;
        if (frees && !seen.freed) seen.freed = op;
        if (op->kind == LAB_OP_POOL_ALLOC && on_owner && seen.freed && op->bytes == seen.lent->bytes) seen.again = op;
        if (op->kind == LAB_OP_FILL && on_owner && seen.again) seen.cleared = op;
    }
    return seen;
}

/* Whether the fill overwrites the lent block, and nothing makes it wait for gather. */
static bool is_overwritten(const lab_trace *trace, const loan_record *seen)
{
    const uint64_t begin = seen->lent->object, other = seen->again->object, bytes = seen->lent->bytes;
    lab_relations *relations;
    if (other >= begin + bytes || begin >= other + bytes) return false;
    if (lab_relations_create(&relations, trace) != LAB_SUCCESS) check_fault("%s", lab_error_message());
    const bool ordered = lab_relations_before(relations, seen->launch->id, seen->cleared->id);
    lab_relations_free(relations);
    return !ordered;
}

CHECK(loan_is_safe, .points = 15, .title = "Task 5: a block that another stream uses is not given away early",
      .hints = {"Task 5: from which call could the pool know that the borrower uses the block?",
                "The launch names the table, not the block: the pool cannot see it. lab.h has a call that says so.",
                "launch; lab_mempool_record_stream(loan->pool, loan->block, loan->borrower); then "
                "lab_mempool_free(loan->pool, loan->block, loan->owner)."})
{
    enum { COUNT = 2000 };
    check_program *program = check_start(sizeof(lab05_memory));
    check_trace_begin(program);
    const float *input = fill(program, COUNT, 0);
    float *expected = check_alloc(COUNT * sizeof(float)), *found = check_alloc(COUNT * sizeof(float));
    for (int i = 0; i < COUNT; i++) expected[i] = 2.0f * input[i];
    lab05_arguments given = {.count = COUNT};
    check_call(program, "lab05_lend", &given, sizeof given, NULL, 0);
    const lab_trace *trace = check_trace(program);
    const loan_record seen = read_loan(trace);
    CHECK_THAT(seen.lent && seen.launch, CHECK_RULE, "lab05_lend does not launch gather");
    check_expected("the block given back on its owner, stream %llu", (unsigned long long)seen.lent->stream);
    check_found("no lab_mempool_free of it");
    CHECK_THAT(seen.freed, CHECK_LEAK, "lab05_lend does not free the block");
    check_locate(seen.freed);
    check_found("stream %llu", (unsigned long long)seen.freed->stream);
    CHECK_THAT(seen.freed->stream == seen.lent->stream, CHECK_RULE, "lab05_lend frees the block on another stream");
    CHECK_THAT(seen.cleared, CHECK_RULE, "the block was not handed out again");
    for (const lab_trace_op *op = seen.launch; op < seen.cleared; op++) {
        if (!op->host_waits) continue;
        check_locate(op);
        check_expected("no wait between the launch and the free");
        check_found("a wait (%s)", lab_op_kind_name(op->kind));
        check_fail(CHECK_RULE, "lab05_lend waits on the host; the pool can wait on the device");
    }
    check_snapshot(program, found, offsetof(lab05_memory, output), COUNT * sizeof(float));
    check_difference difference = {0};
    check_compare_floats(&difference, 0, expected, found, COUNT);
    check_locate(seen.launch);
    check_expected("twice the numbers that the block held when it was lent");
    check_found("others");
    if (is_overwritten(trace, &seen)) {
        check_expected("a block that the owner gets again only when gather has read it");
        check_found("the same block, overwritten by work on the owner that waits for nothing on the borrower");
        check_cause("the pool was not told that the borrower uses the block: the owner got it again and overwrote it "
                    "before the borrower had read it");
        check_fail(CHECK_RACE_SUSPECTED,
                   "gather read a block that had already been handed out again: %zu of %d elements differ",
                   difference.count, COUNT);
    }
    check_equal(&difference, "gather did not read the block that was lent");
    /* The table names the lent block. Its numbers were there, since gather doubled them. */
    check_way_of(program, trace, "lab05_lend", by_gather, (check_bytes){found, sizeof(float[COUNT])},
                 (check_bytes){&seen.lent->object, sizeof seen.lent->object});
}

/* ------------------------------------------------------------------------------------------------------
 * Task 6: the student's pool beside a right one
 */

enum { MOST = 128, CAPACITY = 64 * UNIT, LARGE = 2 * MOST * UNIT };

typedef struct block {
    size_t offset, bytes;
    bool used;
} block;

typedef struct model {
    block block[MOST + 1];
    int blocks;
} model;

/* The block that a right pool takes; -1 if none is large enough. */
static int best_of(const model *pool, size_t bytes)
{
    int best = -1;
    for (int i = 0; i < pool->blocks; i++)
        if (!pool->block[i].used && pool->block[i].bytes >= bytes &&
            (best < 0 || pool->block[i].bytes < pool->block[best].bytes))
            best = i;
    return best;
}

static void take(model *pool, int at, size_t bytes)
{
    if (pool->block[at].bytes > bytes) {
        memmove(&pool->block[at + 2], &pool->block[at + 1], (size_t)(pool->blocks - at - 1) * sizeof(block));
        pool->block[at + 1] = (block){pool->block[at].offset + bytes, pool->block[at].bytes - bytes, false};
        pool->block[at].bytes = bytes;
        pool->blocks++;
    }
    pool->block[at].used = true;
}

static void join_with_next(model *pool, int at)
{
    if (at < 0 || at + 1 >= pool->blocks || pool->block[at].used || pool->block[at + 1].used) return;
    pool->block[at].bytes += pool->block[at + 1].bytes;
    memmove(&pool->block[at + 1], &pool->block[at + 2], (size_t)(pool->blocks - at - 2) * sizeof(block));
    pool->blocks--;
}

static void give(model *pool, size_t offset)
{
    int at = 0;
    while (at < pool->blocks && pool->block[at].offset != offset) at++;
    pool->block[at].used = false;
    join_with_next(pool, at);
    join_with_next(pool, at - 1);
}

/* A script of allocations and frees. */
typedef struct script {
    check_program *program;
    lab05_call call[LAB05_SCRIPT];
    int calls;
    size_t capacity; /* 0 for CAPACITY */
} script;

static int add_alloc(script *list, size_t bytes)
{
    list->call[list->calls] = (lab05_call){.bytes = bytes, .frees = -1};
    return list->calls++;
}

static void add_free(script *list, int which) { list->call[list->calls++] = (lab05_call){.frees = which}; }

/* A call that frees an address at which no block in use begins. */
static int add_false_free(script *list, uint64_t address)
{
    list->call[list->calls] = (lab05_call){.frees = -1, .address = address};
    return list->calls++;
}

/* A random number from `least` to `most`, the `which`th of a check. */
static size_t between(size_t least, size_t most, uint64_t which)
{
    return least + (size_t)(check_random_u64(1, which) % (most - least + 1));
}

/* Runs the script on the student's pool and takes back the results of the calls, and nothing else. */
static void play(script *list)
{
    lab05_script arguments = {list->capacity ? list->capacity : CAPACITY, list->calls};
    list->program = check_start(sizeof(lab05_memory));
    lab05_memory *memory = check_memory(list->program);
    memcpy(memory->call, list->call, sizeof list->call);
    check_call(list->program, "lab05_alloc", &arguments, sizeof arguments, NULL, 0);
    lab05_call *played = check_alloc(sizeof list->call);
    check_snapshot(list->program, played, offsetof(lab05_memory, call), sizeof list->call);
    for (int i = 0; i < list->calls; i++) {
        list->call[i].status = played[i].status;
        if (list->call[i].bytes) list->call[i].address = played[i].address;
    }
}

static const char *status_of(const lab05_call *call) { return lab_status_name((lab_status)call->status); }

/* Fills a script with random calls of every kind. */
static void improvise(script *list)
{
    int live[LAB05_SCRIPT], lives = 0;
    for (int i = 0; list->calls < LAB05_SCRIPT; i++) {
        uint64_t dice = check_random_u64(0, (uint64_t)i);
        if (dice % 5 < 3 || lives == 0) {
            live[lives++] = add_alloc(list, 1 + (size_t)(dice >> 8) % (10 * UNIT));
        } else {
            int which = (int)((dice >> 8) % (uint64_t)lives);
            add_free(list, live[which]);
            live[which] = live[--lives];
        }
    }
}

/* Fills the list of blocks, while blocks are also given back and taken again. Then an allocation that would have to cut
 * a block, which needs room for one more, must fail; one that takes a whole block must not. */
static void check_full_list(void)
{
    enum { MOST_ASKED = 40 };
    script *full = check_alloc(sizeof *full);
    int taken[MOST], refused[MOST_ASKED], takens = 0, asked = (int)between(MOST_ASKED / 2, MOST_ASKED, 0);
    full->capacity = LARGE;
    for (int k = 0; takens < MOST - 1; k++) {
        const size_t dice = between(0, 3, 1 + (uint64_t)k);
        if (dice > 0 || takens == 0) {
            taken[takens++] = add_alloc(full, UNIT);
            continue;
        }
        const size_t which = between(0, (size_t)takens - 1, 1000 + (uint64_t)k);
        add_free(full, taken[which]);
        taken[which] = add_alloc(full, UNIT);
    }
    for (int k = 0; k < asked; k++) {
        const size_t which = between(0, (size_t)takens - 1, 2000 + (uint64_t)k);
        refused[k] = between(0, 1, 3000 + (uint64_t)k) ? add_alloc(full, UNIT) : -1;
        if (refused[k] >= 0) continue;
        add_free(full, taken[which]);
        taken[which] = add_alloc(full, UNIT);
    }
    const int rest = add_alloc(full, LARGE - (size_t)takens * UNIT);
    play(full);
    for (int i = 0, k = 0; i < full->calls; i++) {
        while (k < asked && refused[k] < i) k++;
        const bool fails = k < asked && refused[k] == i;
        const lab_status status = fails ? LAB_ERROR_OUT_OF_MEMORY : LAB_SUCCESS;
        check_expected("call %d, %s in a list of at most %d blocks: %s", i,
                       i == rest             ? "all that is free"
                       : full->call[i].bytes ? "one unit"
                                             : "lab05_free",
                       MOST, lab_status_name(status));
        check_found("%s", status_of(&full->call[i]));
        check_cause("%s", fails ? "cutting needs room for one more block, which a full list does not have" : "");
        CHECK_THAT(full->call[i].status == (int)status, CHECK_WRONG_RESULT,
                   "lab05_alloc does not stop at LAB05_MOST_BLOCKS");
    }
}

CHECK(own_pool_is_right, .points = 10, .title = "Task 6: your pool's blocks never overlap, and errors are errors",
      .hints = {
          "Task 6: what must be true of the list of blocks after every call?",
          "The blocks stand in order of address, without gaps, and together are the whole piece. Cutting makes two of "
          "one; freeing looks for a block in use at that address.",
          "When you cut: insert_block after the best one; the new one begins at best->address + bytes and has what "
          "is left; best->bytes = bytes; best->used = true."})
{
    script *improvised = check_alloc(sizeof *improvised);
    improvise(improvised);
    play(improvised);
    const lab05_call *call = improvised->call;
    bool used[LAB05_SCRIPT] = {false};
    for (int i = 0; i < improvised->calls; i++) {
        if (!call[i].bytes && call[call[i].frees].status == LAB_SUCCESS) {
            check_expected("call %d, lab05_free: LAB_SUCCESS", i);
            check_found("%s", status_of(&call[i]));
            CHECK_THAT(call[i].status == LAB_SUCCESS, CHECK_WRONG_RESULT, "lab05_free refuses a block that is in use");
            used[call[i].frees] = false;
        }
        if (!call[i].bytes || call[i].status != LAB_SUCCESS) continue;
        size_t bytes = rounded(call[i].bytes);
        check_expected("call %d, %zu bytes: inside the pool's %d bytes, at a multiple of 512", i, call[i].bytes,
                       CAPACITY);
        check_found("offset %llu", (unsigned long long)call[i].address);
        CHECK_THAT(call[i].address <= CAPACITY - bytes && call[i].address % UNIT == 0, CHECK_WRONG_RESULT,
                   "lab05_alloc gives memory that the pool does not have");
        for (int k = 0; k < i; k++) {
            bool overlap = used[k] && call[k].address < call[i].address + bytes &&
                           call[i].address < call[k].address + rounded(call[k].bytes);
            check_expected("call %d's block apart from call %d's", i, k);
            check_found("offsets %llu and %llu, sizes %zu and %zu", (unsigned long long)call[i].address,
                        (unsigned long long)call[k].address, bytes, rounded(call[k].bytes));
            CHECK_THAT(!overlap, CHECK_WRONG_RESULT, "lab05_alloc hands out a block that overlaps one in use");
        }
        used[i] = true;
    }
    script *errors = check_alloc(sizeof *errors);
    const size_t units = between(2, 30, 0);
    int first = add_alloc(errors, units * UNIT), all = add_alloc(errors, CAPACITY - (units - 1) * UNIT),
        inside = add_false_free(errors, between(1, units * UNIT - 1, 1)),
        outside = add_false_free(errors, CAPACITY + between(0, CAPACITY, 2)), freed = errors->calls, twice;
    add_free(errors, first);
    twice = errors->calls;
    add_free(errors, first);
    play(errors);
    const struct {
        int call, status;
        const char *what;
    } rule[] = {{first, LAB_SUCCESS, "some bytes of an empty pool"},
                {all, LAB_ERROR_OUT_OF_MEMORY, "more bytes than are left beside a block in use"},
                {inside, LAB_ERROR_INVALID_VALUE, "freeing an address in the middle of a block"},
                {outside, LAB_ERROR_INVALID_VALUE, "freeing an address that is not the pool's"},
                {freed, LAB_SUCCESS, "freeing the block"},
                {twice, LAB_ERROR_INVALID_VALUE, "freeing it again"}};
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        check_expected("%s: %s", rule[i].what, lab_status_name((lab_status)rule[i].status));
        check_found("%s", status_of(&errors->call[rule[i].call]));
        CHECK_THAT(errors->call[rule[i].call].status == rule[i].status, CHECK_WRONG_RESULT,
                   "the pool does not give the right status");
    }
    check_full_list();
}

CHECK(own_pool_fits_best, .points = 5, .title = "Task 6: your pool takes the smallest block that is large enough",
      .hints = {
          "Two free blocks are large enough. Which one does your pool take?",
          "Look at all free blocks before you decide: the smallest that is large enough; of equal ones the first.",
          "if (!block->used && block->bytes >= bytes && (!best || block->bytes < best->bytes)) best = block;"})
{
    script *holes = check_alloc(sizeof *holes);
    const size_t small = between(2, 5, 0), large = between(small + 1, 9, 1), wanted = between(1, small * UNIT, 2);
    const size_t hole[] = {large, small, small};
    int taken[3];
    for (int k = 0; k < 3; k++) {
        taken[k] = add_alloc(holes, hole[k] * UNIT);
        add_alloc(holes, UNIT);
    }
    for (int k = 0; k < 3; k++) add_free(holes, taken[k]);
    int fits = add_alloc(holes, wanted);
    play(holes);
    const uint64_t offset = (large + 1) * UNIT;
    check_expected("%zu bytes: offset %llu, the first hole of %zu units", wanted, (unsigned long long)offset, small);
    check_found("%s, offset %llu", status_of(&holes->call[fits]), (unsigned long long)holes->call[fits].address);
    CHECK_THAT(holes->call[fits].status == LAB_SUCCESS && holes->call[fits].address == offset, CHECK_WRONG_RESULT,
               "lab05_alloc takes another block than the one that fits best");
}

CHECK(own_pool_merges, .points = 10,
      .title = "Task 6: your pool makes one block of free neighbours, always as a right one",
      .hints = {
          "When everything is freed, how many blocks does your pool have?",
          "A block that becomes free joins with the one after it, and with the one before it, if those are free.",
          "Add the next one's bytes and remove_block(pool, at + 1); then add this one's bytes to the one before and "
          "remove_block(pool, at)."})
{
    script *three = check_alloc(sizeof *three);
    int blocks[3];
    for (int k = 0; k < 3; k++) blocks[k] = add_alloc(three, between(1, 9 * UNIT, (uint64_t)k));
    const int last = (int)between(0, 2, 3); /* the block that is freed last */
    for (int k = 1; k <= 3; k++) add_free(three, blocks[(last + k) % 3]);
    const int whole = add_alloc(three, CAPACITY);
    play(three);
    check_expected("all %d bytes in one block when all is freed", CAPACITY);
    check_found("%s", status_of(&three->call[whole]));
    check_cause("the block freed last, number %d of three, must join with its free neighbours", last + 1);
    CHECK_THAT(three->call[blocks[2]].status == LAB_SUCCESS && three->call[whole].status == LAB_SUCCESS &&
                   three->call[whole].address == 0,
               CHECK_WRONG_RESULT, "the pool does not become one block again");
    script *improvised = check_alloc(sizeof *improvised);
    improvise(improvised);
    play(improvised);
    model right = {.block = {{0, CAPACITY, false}}, .blocks = 1};
    for (int i = 0; i < improvised->calls; i++) {
        const lab05_call *call = &improvised->call[i];
        if (!call->bytes) {
            if (improvised->call[call->frees].status == LAB_SUCCESS)
                give(&right, improvised->call[call->frees].address);
            continue;
        }
        int best = best_of(&right, rounded(call->bytes));
        check_expected("call %d, %zu bytes: %s", i, call->bytes, best < 0 ? "LAB_ERROR_OUT_OF_MEMORY" : "LAB_SUCCESS");
        check_found("%s", status_of(call));
        check_cause("free neighbours that stay apart leave no block large enough");
        CHECK_THAT((best < 0) == (call->status == LAB_ERROR_OUT_OF_MEMORY), CHECK_WRONG_RESULT,
                   "the pool runs out of memory at another moment than one that merges");
        if (best < 0) continue;
        check_expected("call %d, %zu bytes: offset %zu", i, call->bytes, right.block[best].offset);
        check_found("offset %llu", (unsigned long long)call->address);
        CHECK_THAT(call->address == right.block[best].offset, CHECK_WRONG_RESULT,
                   "the pool takes another block than the one that fits best");
        take(&right, best, rounded(call->bytes));
    }
}

enum { LOOP_COUNT = 1000, LOOP_STEPS = 1000 };

typedef struct loop_run {
    const float *input, *found;
    double milliseconds;
} loop_run;

/* Runs a loop of arrays on new numbers. */
static loop_run run_loop(check_program *program, const char *entry, uint64_t stream)
{
    float *expected = check_alloc(LOOP_COUNT * sizeof(float));
    const lab05_arguments given = {.count = LOOP_COUNT, .steps = LOOP_STEPS};
    loop_run run = {.input = fill(program, LOOP_COUNT, stream)};
    memcpy(expected, run.input, LOOP_COUNT * sizeof(float));
    smooth_on_host(expected, LOOP_COUNT, LOOP_STEPS);
    run.milliseconds = check_call(program, entry, &given, sizeof given, NULL, 0);
    run.found = check_output(program, expected, LOOP_COUNT, entry);
    return run;
}

static const char from_own_pool[] = "a loop of arrays from your pool";
static const char from_no_pool[] = "a loop of arrays without a pool";

typedef struct two_programs {
    check_program *program[2]; /* the student's, the reference */
    uint64_t rounds;
} two_programs;

/* One sample of each row of the table, with new numbers. */
static void time_loops(void *user, double *milliseconds)
{
    two_programs *both = user;
    uint64_t numbers = ++both->rounds;
    for (int who = 0; who < 2; who++) {
        milliseconds[2 * who] = run_loop(both->program[who], from_own_pool, numbers).milliseconds;
        milliseconds[2 * who + 1] = run_loop(both->program[who], from_no_pool, numbers).milliseconds;
    }
}

/* Fails the check unless each step's kernel wrote to the piece of memory that the own pool hands out, the first that
 * the driver allocated, and read what the step before had written. */
static void check_own_memory(const lab_trace *trace, int steps)
{
    const lab_trace_op *piece = NULL;
    uint64_t before = 0;
    int kernels = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        if (op->kind == LAB_OP_MEMORY_ALLOC && !piece) piece = op;
        if (op->kind != LAB_OP_KERNEL || strcmp(op->name, "smooth") != 0 || op->accesses != 2) continue;
        const uint64_t to = op->access[0].address, from = op->access[1].address;
        const bool owns = piece && to - piece->object < piece->bytes && from - piece->object < piece->bytes;
        if (owns && from != to && (kernels == 0 || from == before)) kernels++;
        before = to;
    }
    check_expected("%d steps, each to a new array of your pool from the array before", steps);
    check_found("%d", kernels);
    CHECK_THAT(kernels == steps && check_count_ops(trace, LAB_OP_POOL_ALLOC) == 0, CHECK_RULE,
               "the arrays of the loop are not from your pool");
}

CHECK(own_pool_serves_a_loop, .points = 5, .seconds = 60, .measures = true,
      .title = "Task 6: a thousand arrays from your pool, a hundredth of the driver's calls",
      .hints = {"Where does the memory of the second array come from, when the first was given back?",
                "From the block that was given back, if lab05_free made it free and lab05_alloc finds it.",
                "lab05_free sets used to false at the block whose address is `memory`; its `bytes` do not matter."})
{
    enum { ROWS = 4, MOST_ALLOCATIONS = 10 };
    check_program *program = check_start_kept(sizeof(lab05_memory));
    check_trace_begin(program);
    const loop_run run = run_loop(program, from_own_pool, 0);
    const lab_trace *trace = check_trace(program);
    int allocations = count_ops(trace, LAB_OP_MEMORY_ALLOC);
    check_expected("at most %d allocations by the driver for 1000 arrays", MOST_ALLOCATIONS);
    check_found("%d", allocations);
    CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE, "your pool asks the driver again and again");
    check_own_memory(trace, LOOP_STEPS);
    check_way_of(program, trace, from_own_pool, by_smooth, (check_bytes){run.found, sizeof(float[LOOP_COUNT])},
                 (check_bytes){run.input, sizeof(float[LOOP_COUNT])});

    static const check_row rows[ROWS] = {{"1000 arrays, own pool", CHECK_YOURS, 0},
                                         {"1000 arrays, no pool", CHECK_YOURS, 0},
                                         {"1000 arrays, own pool", CHECK_REFERENCE, 0},
                                         {"1000 arrays, no pool", CHECK_REFERENCE, 0}};
    double median[ROWS];
    two_programs both = {.program = {check_start(sizeof(lab05_memory)), check_start_reference(sizeof(lab05_memory))}};
    check_measure(median, rows, ROWS, time_loops, &both);
    check_ratio("own pool: times faster than none", median[1] / median[0], median[3] / median[2]);
}
