/* The checks of lab 05: the numbers of pools, the driver's allocations, and the student's own pool. */
#include "case.h"
#include "checks_own_pool.h"
#include "find.h"

#include <string.h>

CHECK_LAB("lab05", "Memory pools");

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static void smoothed(float *to, const float *const *from, const check_case_run *now)
{
    const lab05_arguments *given = now->arguments;
    memcpy(to, from[0], now->count * sizeof *to);
    for (int step = 0; step < given->steps; step++) {
        const float first = to[0];
        for (size_t i = 0; i < now->count; i++) to[i] = 0.5f * (to[i] + (i + 1 < now->count ? to[i + 1] : first));
    }
}

static void doubled(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) to[i] = 2.0f * from[0][i];
}

#define CALL                                                                                                           \
    .memory_bytes = sizeof(lab05_memory), .most = LAB05_MOST,                                                          \
    .given = CHECK_CASE_GIVEN(lab05_arguments, count, {.name = NULL})
#define CALL_MAKING(what)                                                                                              \
    CALL, .array = {{"input", offsetof(lab05_memory, input), .low = 1.0f, .high = 2.0f},                               \
                    {"output", offsetof(lab05_memory, output), .is = (what), .from = {"input"}}}
#define SMOOTHS                                                                                                        \
    CALL_MAKING(smoothed), .kernel = {{"kernels.cu", "smooth(float to[count], const float from[count], int count)"}}
#define ROW(which) offsetof(lab05_memory, which), .stride = sizeof(float[LAB05_MOST / LAB05_ROWS])
static const check_case smooth = {SMOOTHS, .function = "lab05_smooth", .waits = true},
                        from_own_pool = {SMOOTHS, .function = "a loop of arrays from your pool"},
                        from_no_pool = {SMOOTHS, .function = "a loop of arrays without a pool"},
                        in_pieces = {CALL_MAKING(doubled), .function = "lab05_twice", .result_bytes = sizeof(size_t),
                                     .kernel = {{"kernels.cu", "twice(float x[count], int count)"}}, .waits = true},
                        upload = {CALL,
                                  .function = "lab05_upload",
                                  .rows_at = offsetof(lab05_arguments, steps),
                                  .array = {{"row", ROW(row), .low = -1.0f, .high = 1.0f},
                                            {"the rows on the device", ROW(arrived), .is = check_copied,
                                             .from = {"row"}}},
                                  .no_kernel = true,
                                  .waits = true,
                                  .cause = "the block held other numbers when it was copied: fill it with the row, all "
                                           "bytes, before the copy is enqueued, and never again"},
                        lend = {CALL_MAKING(doubled), .function = "lab05_lend",
                                .stream = {{"borrower", "`borrower`"}, {"owner", "`owner`"}},
                                .step = {{"gather", .on = "`borrower`"}}};

/* What the pools of a program hold, as the record shows it: in whole units, and from the driver, which `most` has at
 * its highest. */
typedef struct pool_bytes {
    lab05_numbers now;
    size_t most;
} pool_bytes;

static void follow_pool(pool_bytes *pool, const lab_trace_op *op)
{
    lab05_numbers *now = &pool->now;
    if (op->kind == LAB_OP_POOL_ALLOC) now->used += rounded(op->bytes);
    if (op->kind == LAB_OP_POOL_FREE) now->used -= rounded(op->bytes);
    if (op->kind == LAB_OP_MEMORY_ALLOC) now->total += op->bytes;
    if (op->kind == LAB_OP_MEMORY_FREE) now->total -= op->bytes;
    now->free = now->total - now->used;
    if (now->total > pool->most) pool->most = now->total;
}

/* Fails the check unless the driver's memory of each block goes back in the record: the program destroys its pool after
 * the call, and the default pool keeps what it has. */
static void check_pool(const lab_trace *trace, const lab_trace_op *block, const lab_trace_op *at, const char *function)
{
    const lab_trace_op *memory = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const bool makes = op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_HOST_ALLOC;
        if (makes && block->object - op->object < op->bytes) memory = op;
        if (memory && (op->kind == LAB_OP_MEMORY_FREE || op->kind == LAB_OP_HOST_FREE) && op->object == memory->object)
            return;
    }
    check_fail(CHECK_RULE, check_text("%s takes its blocks from another pool", function), .at = check_at(at),
               .expected = "a block of `pool`", .found = "a block of another pool");
}

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

/* Of each step: how many blocks it releases, the bytes of the block that it takes then, what the pool holds and why. */
static const struct {
    int freed;
    size_t taken;
    lab05_numbers holds;
    const char *rule;
} steps_of_sequence[LAB05_STEPS] = {
    [1] = {0, 400, {512, 0, 512}, "sizes are rounded up, and the pool takes exactly so much from the device"},
    {1, 0, {0, 512, 512}, "what is freed stays in the pool"},
    {0, 0, {0, 0, 0}, "lab_mempool_free_all_blocks returns the free blocks to the device"},
    {0, 4096, {4096, 0, 4096}, "sizes are rounded up to a unit; this one is a multiple of it"},
    {1, 1000, {1024, 3072, 4096}, "a block is cut from a free one that is larger, and what is left stays free"},
    {0, 3000, {4096, 0, 4096}, "what fits into a free block is taken from it, and not from the device"},
    {2, 0, {0, 4096, 4096}, "what is freed stays in the pool"}};

static const char *text_of(lab05_numbers numbers)
{
    return check_text("used %zu, free %zu, total %zu", numbers.used, numbers.free, numbers.total);
}
static bool are_equal(lab05_numbers one, lab05_numbers other) { return memcmp(&one, &other, sizeof one) == 0; }

/* Fails the check unless this call of a pool belongs to the step, of which it is call number `call`. */
static void check_call_of_step(const lab_trace *trace, const lab_trace_op *op, int step, int call)
{
    CHECK_THAT(step < LAB05_STEPS, CHECK_RULE, check_text("lab05_sequence goes on after step %d", LAB05_STEPS - 1));
    const bool takes = op->kind == LAB_OP_POOL_ALLOC;
    const int freed = steps_of_sequence[step].freed;
    const size_t taken = steps_of_sequence[step].taken;
    const bool is_next = takes ? call == freed && taken > 0 : call < freed;
    CHECK_THAT(is_next && (!takes || op->bytes == taken), CHECK_RULE,
               "lab05_sequence does not make the steps that lab05.h describes", .at = check_at(op),
               .expected = check_text("step %d: %d block%s released, %zu bytes taken", step, freed,
                                      freed == 1 ? "" : "s", taken),
               .found = check_text("%s of %zu bytes", takes ? "a block" : "the free", (size_t)op->bytes),
               .cause = is_next                 ? "the block of this step has another size"
                        : takes && call < freed ? "a step releases first: a lab_mempool_free is missing before this"
                                                : "a call of another step, or one without the look before it");
    CHECK_THAT(check_stream(trace, op->stream)->null_stream, CHECK_RULE,
               "lab05_sequence uses a block on another stream", .at = check_at(op),
               .expected = "all on the null stream", .found = check_text("stream %llu", (unsigned long long)op->stream),
               .cause = "NULL, the current stream, is the null stream here, and so is lab_stream_null()");
}

/* Fails the check unless the look stands behind this step, which the pool's numbers show to be complete. */
static void check_look(const lab_trace_op *look, int step, const lab_trace_op *last, lab05_numbers now)
{
    CHECK_THAT(!check_is_mark(look, LAB05_OTHER_USER), CHECK_RULE, "lab05_sequence looks with another user",
               .expected = check_text("look.call(look.user, %d)", step), .found = "another user",
               .cause = "look.call(look.user, N) stands once after step N, with look.user as its first argument");
    CHECK_THAT(check_numbered(look, LAB05_AFTER, LAB05_STEPS) == step, CHECK_RULE,
               "lab05_sequence does not look once after each step", .found = check_text("a look \"%s\"", look->name));
    CHECK_THAT(are_equal(now, steps_of_sequence[step].holds), CHECK_RULE,
               "lab05_sequence does not make the steps that lab05.h describes", .at = check_at(last ? last : look),
               .expected = check_text("step %d: %s", step, text_of(steps_of_sequence[step].holds)),
               .found = text_of(now),
               .cause = last ? "a call of this step is missing" : "this look stands before the calls of its step");
}

/* Fails the check unless the calls and the looks are those of the steps, in their order. */
static void check_sequence(const lab_trace *trace)
{
    const lab_trace_op *last = NULL; /* call of this step */
    pool_bytes pool = {.most = 0};
    int looks = 0, calls = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        follow_pool(&pool, op);
        if (op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_POOL_FREE) {
            check_call_of_step(trace, op, looks, calls++);
            last = op;
        } else if (op->kind == LAB_OP_MARK) {
            check_look(op, looks++, last, pool.now);
            last = NULL;
            calls = 0;
        }
    }
    CHECK_THAT(looks == LAB05_STEPS, CHECK_RULE, "lab05_sequence does not make the steps that lab05.h describes",
               .at = check_at(last),
               .expected = check_text("step %d: %s", looks, text_of(steps_of_sequence[looks].holds)),
               .found = check_text("%s, no look", text_of(pool.now)),
               .cause = looks > 1 || last ? "a call of this step is missing"
                                          : "no block is taken: is lab05_sequence written yet?");
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++)
        if (op->kind == LAB_OP_POOL_ALLOC) check_pool(trace, op, op, "lab05_sequence");
}

CHECK(sequence_is_predicted, .points = 10, .without_flow = "a prediction about given calls",
      .title = "Task 1: what the pool says, as predicted",
      .hints = {
          "Task 1: in what units does a pool hand out memory, and where does freed memory go?",
          "Sizes are rounded up to 512 bytes. What is freed stays in the pool: used becomes free, total does not "
          "change. Only free_all_blocks releases it.",
          "400 bytes take 512; 1000 take 1024, cut from the free 4096, which leaves 3072; 3000 take exactly those. "
          "Two free neighbours are one block again."})
{
    lab05_numbers predicted[LAB05_STEPS];
    check_program *program = check_start(sizeof(lab05_memory));
    check_sequence(check_call_twice(program, "lab05_sequence", NULL, 0, NULL, 0).second);
    check_table(predicted, sizeof predicted, "lab05_predicted");
    for (int step = 0; step < LAB05_STEPS; step++)
        CHECK_THAT(are_equal(predicted[step], steps_of_sequence[step].holds), CHECK_WRONG_RESULT,
                   "lab05_predicted is not what the pool said",
                   .at = check_at_name(check_text("lab05_predicted[%d]", step)),
                   .expected = check_text("after step %d: %s", step, text_of(steps_of_sequence[step].holds)),
                   .found = check_text("lab05_predicted says %s", text_of(predicted[step])),
                   .cause = steps_of_sequence[step].rule);
}

/* ---- Tasks 2 to 4 ------------------------------------------------------------------------------------------------ */

CHECK(no_driver_allocation_in_the_loop, .points = 15, .title = "Task 2: a thousand steps, no allocation by the driver",
      .hints = {
          "Task 2: how many arrays are alive at the same time, and how many does your loop make?",
          "lab_array_empty takes its memory from the pool, lab_array_destroy releases it: two arrays in turns are "
          "all that the device ever sees.",
          "In the loop: lab_array_empty(&next, ...); launch with LAB_ARGS(next, array, count); "
          "lab_array_destroy(array); array = next."})
{
    enum { MOST_ALLOCATIONS = 3 };
    const lab05_arguments runs[] = {{129, 3, 0},     {128, 2, 0},
                                    {1, 1, 0},       {check_draw(1200, 3000), check_draw(4, 9), 0},
                                    {1000, 1000, 0}, {LAB05_MOST, 1, 0}};
    check_program *program = check_start(sizeof(lab05_memory));
    for (size_t run = 0; run < sizeof runs / sizeof *runs; run++) {
        const check_case_run now = check_case_with(&smooth, program, &runs[run]);
        const lab_trace *trace = now.trace;
        check_span span = now.span;
        const int steps = runs[run].steps, kernels = check_count_ops(trace, LAB_OP_KERNEL);
        const lab_trace_op *some = check_op_in(span, kernels > steps ? LAB_OP_KERNEL : LAB_OP_POOL_ALLOC, -1);
        CHECK_THAT(kernels == steps, CHECK_RULE, "lab05_smooth does not smooth step by step",
                   .at = some ? check_at(some) : check_at_no_line(),
                   .expected = check_text("%d steps, each with the kernel smooth", steps),
                   .found = check_text("%d kernels", kernels),
                   .cause = "each step launches smooth once, from the old array to the new one");
        check_case_prove(&now);
        const lab_trace_op *device = check_last_op(trace, LAB_OP_MEMORY_ALLOC),
                           *host = check_last_op(trace, LAB_OP_HOST_ALLOC);
        const int allocations = check_count_ops(trace, LAB_OP_HOST_ALLOC) + check_count_ops(trace, LAB_OP_MEMORY_ALLOC),
                  left = check_count_ops(trace, LAB_OP_POOL_ALLOC) - check_count_ops(trace, LAB_OP_POOL_FREE);
        CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE,
                   "lab05_smooth allocates from the driver inside its loop", .at = check_at(device ? device : host),
                   .expected = check_text("at most %d allocations by the driver for %d steps", MOST_ALLOCATIONS, steps),
                   .found = check_text("%d", allocations),
                   .cause = check_text("memory is taken from the device again and again: %s",
                                       left > 1 ? "no array goes back to the pool; destroy the old one in each step"
                                                : "the loop goes past the pool"));
        check_span steps_of = span;
        steps_of.ends = check_op_in(span, LAB_OP_KERNEL, -1) + 1;
        check_waits_at_the_end(trace, steps_of);
        span.given = trace->op; /* the first array */
        check_keeps_nothing(trace, span);
    }
}

/* The numbers in the buffer that halving leads to. A student may halve the numbers and round up or down, or halve the
 * bytes. */
enum halving { UP, DOWN, BYTES, HALVINGS };

static int halved(int count, size_t limit, enum halving way)
{
    size_t bytes = (size_t)count * sizeof(float), room = (size_t)count;
    while (rounded(way == BYTES ? bytes : room * sizeof(float)) > limit) {
        bytes /= 2;
        room = (room + (way == UP)) / 2;
    }
    return (int)(way == BYTES ? bytes / sizeof(float) : room);
}

/* Fails the check unless all kernels work in the one block that the pool gave, and in as few pieces as it allows. */
static void check_pieces(check_span span, int count, size_t limit)
{
    const lab_trace_op *buffer = check_op_in(span, LAB_OP_POOL_ALLOC, 0),
                       *more = check_op_in(span, LAB_OP_POOL_ALLOC, 1);
    const int pieces = check_count_in(span, LAB_OP_KERNEL), room = halved(count, limit, UP),
              fewest = (count + room - 1) / room;
    bool allowed = !pieces;
    CHECK_THAT(!more, CHECK_RULE, "lab05_twice takes more than one buffer from the pool", .at = check_at(more),
               .expected = "one buffer for all pieces",
               .found = check_text("%d blocks of the pool", check_count_in(span, LAB_OP_POOL_ALLOC)),
               .cause = "the pieces go through the same buffer, one after another");
    for (const lab_trace_op *op = span.begins; op < span.ends; op++)
        CHECK_THAT(op->kind != LAB_OP_KERNEL || (buffer && check_uses_block(op, buffer)), CHECK_RULE,
                   "lab05_twice does not use a buffer from the pool", .at = check_at(op),
                   .expected = "a kernel that works in the pool's buffer", .found = "a kernel on other memory",
                   .cause = "the buffer is the block that lab_mempool_alloc gives from `pool`");
    for (enum halving way = UP; way < HALVINGS && !allowed; way++)
        allowed = pieces == (count + halved(count, limit, way) - 1) / halved(count, limit, way);
    CHECK_THAT(allowed, CHECK_RULE, "lab05_twice does not use the buffer that halving leads to",
               .at = check_at(pieces > fewest ? buffer : check_op_in(span, LAB_OP_KERNEL, -1)),
               .expected = check_text("%d numbers in %d pieces of at most %d", count, fewest, room),
               .found = check_text("pieces: %d; a buffer of %llu bytes", pieces, (unsigned long long)buffer->bytes),
               .cause = pieces > fewest ? "the buffer is smaller than the first half that the limit allows"
                                        : "numbers are left out: what is left for the last piece may be less than a "
                                          "buffer full");
}

CHECK(limit_is_kept, .points = 15, .title = "Task 3: within the limit, in as few pieces as it allows",
      .hints = {
          "Task 3: what does lab_mempool_alloc return when the limit does not allow it, and what can you do then?",
          "LAB_ERROR_OUT_OF_MEMORY is an answer here: halve what you ask for, and ask again. Then one buffer "
          "serves all pieces, one after another.",
          "room = count; while the status is OUT_OF_MEMORY and room > 1, room = (room + 1) / 2. Then for first = 0, "
          "room, 2 room, ...: copy in, launch twice, copy out; the last piece is smaller. Free the buffer."})
{
    const lab05_arguments cases[] = {{100, 0, 1 << 20}, {20000, 0, 30000},
                                     {32768, 0, 1024},  {LAB05_MOST, 0, 1 << 20},
                                     {1025, 0, 4096},   {129, 0, 512},
                                     {1, 0, 512},       {check_draw(1000, 9000), 0, (size_t)check_draw(UNIT, 4000)}};
    check_program *program = check_start(sizeof(lab05_memory));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const check_case_run now = check_case_with(&in_pieces, program, &cases[i]);
        const size_t limit = *(const size_t *)now.result;
        pool_bytes pool = {.most = 0};
        for (size_t k = 0; k < now.trace->ops; k++) follow_pool(&pool, &now.trace->op[k]);
        CHECK_THAT(limit == cases[i].limit && pool.most <= cases[i].limit, CHECK_RULE,
                   "lab05_twice does not keep the pool's limit",
                   .at = check_at(check_last_op(now.trace, LAB_OP_KERNEL)),
                   .expected = check_text("the limit still %zu bytes, at most that much taken", cases[i].limit),
                   .found = check_text("limit %zu, %zu bytes taken", limit, pool.most),
                   .cause = "the limit is the pool's to keep: ask for less, and work in pieces");
        check_keeps_nothing(now.trace, now.span);
        check_pieces(now.span, cases[i].count, cases[i].limit);
        check_case_prove(&now);
    }
}

/* ---- Task 4: rows through pinned blocks -------------------------------------------------------------------------- */

/* The array that a copy writes to, or with `pinned` the block of the pinned pool that it reads, by the call that made
 * it: all its bytes are there, and the block has not been released. NULL without such an operation. */
static const lab_trace_op *memory_of(const lab_trace *trace, const lab_trace_op *copy, bool pinned)
{
    const lab_trace_op *found = NULL;
    for (int k = 0; k < copy->accesses; k++) {
        const lab_trace_access *part = &copy->access[k];
        for (const lab_trace_op *op = trace->op; op < copy && part->host == pinned; op++) {
            const size_t skipped = part->address - op->object;
            const bool makes = op->kind == (pinned ? LAB_OP_PINNED_POOL_ALLOC : LAB_OP_POOL_ALLOC);
            if (makes && skipped < op->bytes && part->bytes <= op->bytes - skipped) found = op;
            if (op->kind == LAB_OP_PINNED_POOL_FREE && found && op->object == found->object) found = NULL;
        }
    }
    return found;
}

/* What the host does next with the block of a copy, or with another: the next call of its thread that copies, waits,
 * takes or releases a block. NULL without such an operation. */
static const lab_trace_op *next_step(check_span span, const lab_trace_op *copy)
{
    for (const lab_trace_op *op = copy + 1; op < span.ends; op++)
        if (op->thread == copy->thread && (op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_PINNED_POOL_ALLOC ||
                                           op->kind == LAB_OP_PINNED_POOL_FREE || op->host_waits))
            return op;
    return NULL;
}

/* Fails the check unless this copy is from a block of its row's own, and the block is released next, unless more of the
 * row follows. */
static void check_row_copy(const lab_trace *trace, check_span span, const lab_trace_op *copy)
{
    const lab_trace_op *block = memory_of(trace, copy, true), *array = memory_of(trace, copy, false),
                       *next = next_step(span, copy);
    CHECK_THAT(block && array, CHECK_RULE, "lab05_upload copies past its pinned blocks", .at = check_at(copy),
               .expected = "a copy from a block of the pinned pool that is still yours",
               .found = "a copy from other memory",
               .cause = "the row is copied from where it lies, or the block was released before its copy was enqueued");
    check_pool(trace, block, copy, "lab05_upload");
    const bool more = next && next->kind == LAB_OP_COPY_HTOD && memory_of(trace, next, true) == block;
    CHECK_THAT(!more || memory_of(trace, next, false) == array, CHECK_RULE,
               "lab05_upload sends two rows through one block", .at = check_at(next),
               .expected = "a block for each row", .found = "two rows in one block",
               .cause = "every row takes a block and releases it");
    CHECK_THAT(more || (next && next->kind == LAB_OP_PINNED_POOL_FREE && next->object == block->object), CHECK_RULE,
               "lab05_upload does not release a block as soon as its copy is enqueued", .at = check_at(copy),
               .expected = "the block released next, or more of its row",
               .found = next ? lab_op_kind_name(next->kind) : "nothing",
               .cause = "the pool knows which copy uses the block: you need not keep it until the copy is done");
}

/* Fails the check unless the host waits once, after the last copy. A wait for nothing does not count. */
static void check_one_wait(check_span span)
{
    const lab_trace_op *wait[2] = {NULL};
    const int waits = check_waits_in(span, wait);
    CHECK_THAT(waits <= 1, CHECK_RULE, "lab05_upload waits between its rows", .at = check_at(wait[0]),
               .expected = check_text("all %d copies enqueued, then one wait", check_count_in(span, LAB_OP_COPY_HTOD)),
               .found = check_text("%d waits", waits),
               .cause = "a wait between two rows leaves the copy engine idle until the host comes back with the next "
                        "row");
}

CHECK(upload_goes_on, .points = 10, .title = "Task 4: rows through pinned blocks, one wait for all",
      .hints = {"Task 4: when may a pinned block be released to the pool?",
                "At once: the pool knows which copy uses the block, and hands it out again only when that is done.",
                "For each row: lab_pinned_mempool_alloc, memcpy, lab_array_set_async from the block, "
                "lab_pinned_mempool_free. After the loop: lab_stream_synchronize."})
{
    enum { LENGTH = LAB05_MOST / LAB05_ROWS, RUNS = 4 };
    const int length = check_draw(2, LENGTH - 1), rows = check_draw(2, LAB05_ROWS - 1);
    const lab05_arguments runs[RUNS] = {
        {LENGTH, LAB05_ROWS, 0}, {check_draw(2, LENGTH), 1, 0}, {length, rows, 0}, {LENGTH, rows, 0}};
    check_program *program = check_start(sizeof(lab05_memory));
    for (int run = 0; run < RUNS; run++) {
        /* A block that is filled behind its copy is right if the copy is late: here it runs in its call. */
        if (run == RUNS - 1) program = check_start_set(sizeof(lab05_memory), "LAB_SCHEDULE=fifo");
        const check_case_run now = check_case_with(&upload, program, &runs[run]);
        const check_work work = {.kind = LAB_OP_COPY_HTOD,
                                 .count = CHECK_ANY_COUNT,
                                 .on = "`stream`",
                                 .stream = check_mark(now.trace, "stream")->stream,
                                 .cause = "NULL is the current stream"};
        check_enqueued(program, now.span, &work, 1);
        check_one_wait(now.span);
        check_keeps_nothing(now.trace, now.span);
        for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
            if (op->kind == LAB_OP_COPY_HTOD) check_row_copy(now.trace, now.span, op);
        check_case_prove(&now);
    }
}

/* ---- Task 5: a block that is lent -------------------------------------------------------------------------------- */

/* Fails the check if the fill of the block that the owner gets then, of the same size, overwrites the lent one before
 * gather has read it. */
static void check_not_overwritten(const check_case_run *now, const lab_trace_op *lent, const lab_trace_op *launch,
                                  const lab_trace_op *freed)
{
    const lab_trace_op *again = check_find_last(now->trace, (check_sought){LAB_OP_POOL_ALLOC, .stream = lent->stream}),
                       *cleared = check_find_last(now->trace, (check_sought){LAB_OP_FILL, .block = again});
    if (again->object >= lent->object + lent->bytes || lent->object >= again->object + lent->bytes ||
        lab_relations_before(check_relations(now->trace), launch->id, cleared->id))
        return;
    check_finding why = {
        .kind = CHECK_RACE_SUSPECTED,
        .message = "gather reads a block that has already been handed out again",
        .at = check_at(freed),
        .expected = "a block that the owner gets again only when gather has read it",
        .found = "the same block, overwritten by work on the owner that waits for nothing on the borrower",
        .cause = "when the block was freed here, no lab_mempool_record_stream had named the borrower, nor did the "
                 "owner wait for it: so it got the block again and overwrote it"};
    check_difference difference = {0};
    float *found = check_alloc(now->count * sizeof *found);
    check_snapshot(now->program, found, lend.array[1].offset, now->count * sizeof *found);
    check_compare_floats(&difference, 0, now->numbers[1], found, now->count);
    if (difference.count) why.difference = &difference;
    check_fail_with(why);
}

static void check_loan(check_program *program, size_t count)
{
    const check_case_run now = check_case_at(&lend, program, count);
    const lab_trace *trace = now.trace;
    const lab_trace_op *lent = check_pool_block(trace, 0), *freed = now.span.begins;
    check_case_keeps_plan(&now);
    while (freed < now.span.ends && (freed->kind != LAB_OP_POOL_FREE || freed->object != lent->object)) freed++;
    const lab_trace_op *launch = check_op_in(now.span, LAB_OP_KERNEL, 0);
    CHECK_THAT(freed < now.span.ends, CHECK_LEAK, "lab05_lend does not free the block", .at = check_at(launch),
               .expected = check_text("the block released on its owner, stream %llu", (unsigned long long)lent->stream),
               .found = "no lab_mempool_free of it",
               .cause = "a block goes back on the stream on which it was allocated");
    CHECK_THAT(freed->stream == lent->stream, CHECK_RULE, "lab05_lend frees the block on another stream",
               .at = check_at(freed),
               .expected = check_text("the block released on its owner, stream %llu", (unsigned long long)lent->stream),
               .found = check_text("stream %llu", (unsigned long long)freed->stream));
    check_returns_at_once(trace, now.span);
    check_not_overwritten(&now, lent, launch, freed);
    check_case_numbers(&now);
    /* The table names the lent block. Its numbers were there, since gather doubled them. */
    const check_passage passage = {.output = {now.numbers[1], now.count * sizeof(float)},
                                   .input = {{&lent->object, sizeof lent->object}}};
    check_flow(program, trace,
               &(check_way){.function = lend.function,
                            .passage = &passage,
                            .passages = 1,
                            .kernel = {{"kernels.cu", "gather(float to[count], float *table[1], int count)"}}});
    check_keeps_nothing(trace, now.span);
}

CHECK(loan_is_safe, .points = 15, .title = "Task 5: a block that another stream uses is not given away early",
      .hints = {"Task 5: from which call could the pool know that the borrower uses the block?",
                "The launch names the table, not the block: the pool cannot see it. lab.h has a call that says so.",
                "launch; lab_mempool_record_stream(loan->pool, loan->block, loan->borrower); then "
                "lab_mempool_free(loan->pool, loan->block, loan->owner)."})
{
    check_program *program = check_start(sizeof(lab05_memory));
    check_loan(program, LAB05_MOST);
    check_loan(program, (size_t)check_draw(1, 500));
}

/* ---- Task 6: the student's pool next to a right one -------------------------------------------------------------- */

CHECK(own_pool_is_right, .points = 10, .title = "Task 6: your pool's blocks never overlap, and errors are errors",
      .hints = {
          "Task 6: what must be true of the list of blocks after every call?",
          "The blocks stand in order of address, without gaps, and together are the whole piece. Cutting makes two of "
          "one; freeing looks for a block in use at that address.",
          "When you cut: insert_block after the best one; the new one begins at best->address + bytes and has what "
          "is left; best->bytes = bytes; best->used = true."})
{
    const unsigned mistakes = 1U << WRONG_STATUS | 1U << WRONG_MEMORY | 1U << WRONG_LIST;
    check_script(ask_for_errors(), mistakes);
    check_script(improvise(), mistakes);
    check_script(fill_list(), mistakes);
}

CHECK(own_pool_fits_best, .points = 5, .title = "Task 6: your pool takes the smallest block that is large enough",
      .hints = {
          "Two free blocks are large enough. Which one does your pool take?",
          "Look at all free blocks before you decide: the smallest that is large enough; of equal ones the first.",
          "if (!block->used && block->bytes >= bytes && (!best || block->bytes < best->bytes)) best = block;"})
{
    script *holes = new_script(CAPACITY);
    const int small = check_draw(2, 5), large = check_draw(small + 1, 9), hole[] = {large, small, small};
    int taken[3];
    for (int k = 0; k < 3; k++) {
        taken[k] = add_alloc(holes, (size_t)hole[k] * UNIT);
        add_alloc(holes, UNIT);
    }
    for (int k = 0; k < 3; k++) add_free(holes, taken[k]);
    const int fits = add_alloc(holes, (size_t)check_draw(1, small * UNIT));
    play(holes);
    check_script(holes, 1U << NOT_BEST);
    check_gets(holes, fits, (size_t)(large + 1) * UNIT, "lab05_alloc does not take the first of the smallest blocks",
               check_text("the first hole of %d units", small));
    check_script(improvise(), 1U << NOT_BEST);
}

CHECK(own_pool_merges, .points = 10, .title = "Task 6: your pool makes one block of free neighbours",
      .hints = {
          "When everything is freed, how many blocks does your pool have?",
          "A block that becomes free joins with the one after it, and with the one before it, if those are free.",
          "Add the next one's bytes and remove_block(pool, at + 1); then add this one's bytes to the one before and "
          "remove_block(pool, at)."})
{
    script *three = new_script(CAPACITY);
    int blocks[3];
    for (int k = 0; k < 3; k++) blocks[k] = add_alloc(three, (size_t)check_draw(1, 9 * UNIT));
    const int last = check_draw(0, 2); /* the block that is freed last */
    for (int k = 1; k <= 3; k++) add_free(three, blocks[(last + k) % 3]);
    const int whole = add_alloc(three, CAPACITY);
    play(three);
    check_script(three, 1U << NOT_JOINED);
    check_gets(three, whole, 0, "the pool does not become one block again",
               "all bytes in one block, when all is freed");
    check_script(improvise(), 1U << NOT_JOINED);
}

static const lab05_arguments loop = {.count = 1000, .steps = 1000};

/* One sample of each row of the table, with new numbers. */
static void time_loops(check_program *program, double *milliseconds)
{
    milliseconds[0] = check_case_time(&from_own_pool, program, &loop);
    milliseconds[1] = check_case_time(&from_no_pool, program, &loop);
}

/* Fails the check unless the loop's kernels worked in the piece of memory that the own pool hands out, the driver's
 * first. */
static void check_own_memory(const lab_trace *trace)
{
    const lab_trace_op *piece = check_find(trace, (check_sought){.kind = LAB_OP_MEMORY_ALLOC});
    bool owns = piece && !check_count_ops(trace, LAB_OP_POOL_ALLOC);
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops && owns; op++)
        for (int i = 0; i < op->accesses && op->kind == LAB_OP_KERNEL; i++)
            owns = owns && op->access[i].address - piece->object < piece->bytes;
    CHECK_THAT(owns, CHECK_RULE, "the arrays of the loop are not from your pool",
               .at = check_at(check_last_op(trace, LAB_OP_MEMORY_ALLOC)),
               .expected = "kernels that work in your pool's piece of memory", .found = "a kernel on other memory");
}

CHECK(own_pool_serves_a_loop, .points = 5, .seconds = 60, .measures = true,
      .title = "Task 6: a thousand arrays from your pool, a hundredth of the driver's calls",
      .hints = {"Where does the memory of the second array come from, when the first was released?",
                "From the block that was released, if lab05_free made it free and lab05_alloc finds it.",
                "lab05_free sets used to false at the block whose address is `memory`; its `bytes` do not matter."})
{
    check_builds_on(CHECK_TASK(2));
    enum { MOST_ALLOCATIONS = 10 };
    const check_case_run now = check_case_with(&from_own_pool, check_start_kept(sizeof(lab05_memory)), &loop);
    const lab_trace *trace = now.trace;
    int allocations = check_count_ops(trace, LAB_OP_MEMORY_ALLOC);
    CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE, "your pool asks the driver again and again",
               .at = check_at(check_last_op(trace, LAB_OP_MEMORY_ALLOC)),
               .expected = check_text("at most %d allocations by the driver for 1000 arrays", MOST_ALLOCATIONS),
               .found = check_text("%d", allocations));
    check_own_memory(trace);
    check_case_prove(&now);

    static const char *const rows[] = {"1000 arrays, own pool", "1000 arrays, no pool"};
    double median[4];
    check_measure_both(median, rows, 2, sizeof(lab05_memory), time_loops);
    check_ratio("own pool: times faster than none", median[1] / median[0], median[3] / median[2]);
}

CHECK(failures_are_passed_on, CHECK_OF_FAILURES, .points = 5,
      .after = "sequence_is_predicted, no_driver_allocation_in_the_loop, limit_is_kept, upload_goes_on, loan_is_safe",
      .hints = {[2] = "LAB_TRY around each call. In lab05_twice only OUT_OF_MEMORY asks for less; any other failure is "
                      "returned."})
{
    const lab05_arguments given = {.count = check_draw(260, 340), .steps = check_draw(3, 6), .limit = 2 * UNIT};
    check_failing failing = {.functions =
                                 CHECK_FUNCTIONS("lab05_sequence", "lab05_smooth", "lab05_upload", "lab05_lend"),
                             CHECK_GIVEN(given),
                             .memory_bytes = sizeof(lab05_memory),
                             .also = CHECK_FAIL_WAITS,
                             .at_once = true};
    check_failures(&failing);
    failing.functions = CHECK_FUNCTIONS("lab05_twice");
    failing.cause_of.call = "lab_mempool_alloc";
    failing.cause_of.cause = "only LAB_ERROR_OUT_OF_MEMORY means to ask for less: return every other status";
    check_failures(&failing);
}
