/* The checks of lab 05: the numbers of pools, the driver's allocations, and the student's own pool. */
#include "checks_blocks.h"
#include "checks_own_pool.h"
#include "find.h"

#include <stdio.h>
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

#define SMOOTHS                                                                                                        \
    CALL_COMMON, .array = {CALL_INPUT, CALL_OUTPUT(smoothed)},                                                         \
                 .kernel = {{"kernels.cu", "smooth(float to[count], const float from[count], int count)"}}
static const check_case smooth = {SMOOTHS, .function = "lab05_smooth", .waits = true},
                        from_own_pool = {SMOOTHS, .function = "a loop of arrays from your pool"},
                        from_no_pool = {SMOOTHS, .function = "a loop of arrays without a pool"};
static const check_case in_pieces = {CALL_COMMON,
                                     .function = "lab05_twice",
                                     .result_bytes = sizeof(size_t),
                                     .array = {CALL_INPUT, CALL_OUTPUT(call_doubled)},
                                     .kernel = {{"kernels.cu", "twice(float x[count], int count)"}},
                                     .waits = true};

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

/* ---- Task 1 ------------------------------------------------------------------------------------------------------ */

/* How many blocks each step releases, and the bytes of the block that it takes then. */
static const struct {
    int freed;
    size_t taken;
} steps_of_sequence[LAB05_STEPS] = {{0, 0}, {0, 400}, {1, 0}, {0, 0}, {0, 4096}, {1, 1000}, {0, 3000}, {2, 0}};

/* Fails the check unless this call of a pool belongs to the step, of which it is call number `call`. */
static void check_call_of_step(const lab_trace *trace, const lab_trace_op *op, int step, int call)
{
    const bool takes = op->kind == LAB_OP_POOL_ALLOC;
    const int freed = steps_of_sequence[step].freed;
    const size_t taken = steps_of_sequence[step].taken;
    CHECK_THAT(takes ? call == freed && op->bytes == taken && taken > 0 : call < freed, CHECK_RULE,
               "lab05_sequence does not make the steps that lab05.h describes", .at = check_at(op),
               .expected = check_text("step %d: %d block%s released, %zu bytes taken", step, freed,
                                      freed == 1 ? "" : "s", taken),
               .found = check_text("%s of %zu bytes", takes ? "a block" : "the free", (size_t)op->bytes),
               .cause = "this call belongs to another step, or the look before it is missing, or its size is another");
    CHECK_THAT(check_stream(trace, op->stream)->null_stream, CHECK_RULE,
               "lab05_sequence uses a block on another stream", .at = check_at(op),
               .expected = "all on the null stream", .found = check_text("stream %llu", (unsigned long long)op->stream),
               .cause = "NULL, the current stream, is the null stream here, and so is lab_stream_null()");
}

/* The pool's numbers at the look after each step, as the record shows them, and the step's last call: without one, that
 * look. Returns the number of looks, which count only in the order of the steps. */
static int read_sequence(size_t found[LAB05_STEPS][3], const lab_trace_op *last[LAB05_STEPS], const lab_trace *trace)
{
    pool_bytes now = {0};
    int looks = 0, calls = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const lab_trace_op *op = &trace->op[i];
        char name[sizeof LAB05_AFTER + 16];
        follow_pool(&now, op);
        if (op->kind == LAB_OP_POOL_ALLOC || op->kind == LAB_OP_POOL_FREE) {
            CHECK_THAT(looks < LAB05_STEPS, CHECK_RULE,
                       check_text("lab05_sequence goes on after step %d", LAB05_STEPS - 1));
            check_call_of_step(trace, op, looks, calls++);
            last[looks] = op;
        }
        if (op->kind != LAB_OP_MARK) continue;
        CHECK_THAT(!check_is_mark(op, LAB05_OTHER_USER), CHECK_RULE, "lab05_sequence looks with another user",
                   .expected = check_text("look.call(look.user, %d)", looks), .found = "another user",
                   .cause = "look.call(look.user, N) stands once after step N, with look.user as its first argument");
        snprintf(name, sizeof name, LAB05_AFTER "%d", looks);
        CHECK_THAT(looks < LAB05_STEPS && check_is_mark(op, name), CHECK_RULE,
                   "lab05_sequence does not look once after each step", .found = check_text("a look \"%s\"", op->name));
        const size_t numbers[] = {now.used, now.total - now.used, now.total};
        if (!last[looks]) last[looks] = op;
        memcpy(found[looks++], numbers, sizeof numbers);
        calls = 0;
    }
    return looks;
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
    static const size_t rule[][3] = {{0, 0, 0},       {512, 0, 512},      {0, 512, 512},   {0, 0, 0},
                                     {4096, 0, 4096}, {1024, 3072, 4096}, {4096, 0, 4096}, {0, 4096, 4096}};
    check_program *program = check_start(sizeof(lab05_memory));
    size_t recorded[LAB05_STEPS][3] = {{0}}, predicted[LAB05_STEPS][3];
    const lab_trace_op *last[LAB05_STEPS] = {NULL};
    const check_two_calls calls = check_call_twice(program, "lab05_sequence", NULL, 0, NULL, 0);
    const lab_trace *first = calls.first, *trace = calls.second;
    int looks = read_sequence(recorded, last, trace);
    for (int step = 0; step < LAB05_STEPS; step++) {
        const size_t *found = recorded[step];
        CHECK_THAT(step < looks && memcmp(found, rule[step], sizeof rule[step]) == 0, CHECK_RULE,
                   "lab05_sequence does not make the steps that lab05.h describes",
                   .at = check_at(step > 0 ? last[step] : NULL),
                   .expected = check_text("step %d: used %zu, free %zu, total %zu", step, rule[step][0], rule[step][1],
                                          rule[step][2]),
                   .found = check_text("used %zu, free %zu, total %zu%s", found[0], found[1], found[2],
                                       step < looks ? "" : ", no look"),
                   .cause = looks > 1 || last[1]                        ? "a call of this step is missing"
                            : check_count_ops(first, LAB_OP_POOL_ALLOC) ? "a second call of lab05_sequence does less"
                                                                        : "no block is taken: is lab05_sequence "
                                                                          "written yet?");
    }
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        CHECK_THAT(op->kind != LAB_OP_POOL_ALLOC || is_of_given_pool(trace, op), CHECK_RULE,
                   "lab05_sequence takes its blocks from another pool", .at = check_at(op),
                   .expected = "blocks of `pool`", .found = "a block of another pool");
    }
    check_table(predicted, sizeof predicted, "lab05_predicted");
    for (int step = 0; step < LAB05_STEPS; step++) {
        const size_t *found = recorded[step], *says = predicted[step];
        CHECK_THAT(
            memcmp(found, says, sizeof rule[step]) == 0, CHECK_WRONG_RESULT,
            "lab05_predicted is not what the pool said", .at = check_at_name(check_text("lab05_predicted[%d]", step)),
            .expected = check_text("after step %d: used %zu, free %zu, total %zu", step, found[0], found[1], found[2]),
            .found = check_text("lab05_predicted says used %zu, free %zu, total %zu", says[0], says[1], says[2]),
            .cause = "a prediction is made before the run; look at the rule for rounding, cutting and joining again");
    }
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
    enum { MOST_ALLOCATIONS = 3, RUNS = 6 };
    const lab05_arguments runs[RUNS] = {{129, 3, 0},     {128, 2, 0},
                                        {1, 1, 0},       {check_draw(1200, 3000), check_draw(4, 9), 0},
                                        {1000, 1000, 0}, {LAB05_MOST, 1, 0}};
    check_program *program = check_start(sizeof(lab05_memory));
    for (int run = 0; run < RUNS; run++) {
        const int steps = runs[run].steps;
        const check_case_run now = check_case_with(&smooth, program, &runs[run]);
        const lab_trace *trace = now.trace;
        check_span span = now.span;
        const int kernels = check_count_ops(trace, LAB_OP_KERNEL);
        const lab_trace_op *where = NULL;
        for (const lab_trace_op *op = span.begins; op < span.ends; op++)
            if (op->kind == (kernels > steps ? LAB_OP_KERNEL : LAB_OP_POOL_ALLOC)) where = op;
        CHECK_THAT(kernels == steps, CHECK_RULE, "lab05_smooth does not smooth step by step",
                   .at = where ? check_at(where) : check_at_no_line(),
                   .expected = check_text("%d steps, each with the kernel smooth", steps),
                   .found = check_text("%d kernels", kernels),
                   .cause = "each step launches smooth once, from the old array to the new one");
        check_case_prove(&now);
        const lab_trace_op *device = check_last_op(trace, LAB_OP_MEMORY_ALLOC),
                           *host = check_last_op(trace, LAB_OP_HOST_ALLOC);
        int allocations = check_count_ops(trace, LAB_OP_HOST_ALLOC) + check_count_ops(trace, LAB_OP_MEMORY_ALLOC);
        const int left = check_count_ops(trace, LAB_OP_POOL_ALLOC) - check_count_ops(trace, LAB_OP_POOL_FREE);
        CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE,
                   "lab05_smooth allocates from the driver inside its loop", .at = check_at(device ? device : host),
                   .expected = check_text("at most %d allocations by the driver for %d steps", MOST_ALLOCATIONS, steps),
                   .found = check_text("%d", allocations),
                   .cause = check_text("memory is taken from the device again and again: %s",
                                       left > 1 ? "no array goes back to the pool; destroy the old one in each step"
                                                : "the loop goes past the pool"));
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
static void check_pieces(const lab_trace *trace, int count, size_t limit)
{
    const lab_trace_op *buffer = NULL;
    int buffers = 0, pieces = 0;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        if (op->kind == LAB_OP_POOL_ALLOC) {
            if (buffers++ == 0) buffer = op;
            CHECK_THAT(buffers == 1, CHECK_RULE, "lab05_twice takes more than one buffer from the pool",
                       .at = check_at(op), .expected = "one buffer for all pieces",
                       .found = check_text("%d blocks of the pool", buffers),
                       .cause = "the pieces go through the same buffer, one after another");
        }
        if (op->kind != LAB_OP_KERNEL) continue;
        pieces++;
        CHECK_THAT(buffer && op->accesses > 0 && op->access[0].address - buffer->object < buffer->bytes, CHECK_RULE,
                   "lab05_twice does not use a buffer from the pool", .at = check_at(op),
                   .expected = "a kernel that works in the pool's buffer", .found = "a kernel on other memory",
                   .cause = "the buffer is the block that lab_mempool_alloc gives from `pool`");
    }
    CHECK_THAT(buffers == 1, CHECK_RULE, "lab05_twice takes no buffer from the pool");
    bool allowed = false;
    for (enum halving way = UP; way < HALVINGS; way++) {
        const int room = halved(count, limit, way);
        allowed = allowed || pieces == (count + room - 1) / room;
    }
    const int room = halved(count, limit, UP), fewest = (count + room - 1) / room;
    CHECK_THAT(allowed, CHECK_RULE, "lab05_twice does not use the buffer that halving leads to", .at = check_at(buffer),
               .expected = check_text("%d numbers in %d pieces of at most %d", count, fewest, room),
               .found = check_text("%d pieces; a buffer of %llu bytes", pieces, (unsigned long long)buffer->bytes),
               .cause = pieces > fewest ? "the buffer is smaller than the first half that the limit allows"
                                        : "the buffer's size is not one that halving leads to");
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
        const lab_trace *trace = now.trace;
        check_case_numbers(&now);
        const size_t limit = *(const size_t *)now.result;
        const size_t most = follow_pools(trace).most;
        CHECK_THAT(limit == cases[i].limit && most <= cases[i].limit, CHECK_RULE,
                   "lab05_twice does not keep the pool's limit", .at = check_at(check_last_op(trace, LAB_OP_KERNEL)),
                   .expected = check_text("the limit still %zu bytes, at most that much taken", cases[i].limit),
                   .found = check_text("limit %zu, %zu bytes taken", limit, most),
                   .cause = "the limit is the pool's to keep: ask for less, and work in pieces");
        check_keeps_nothing(trace, now.span);
        check_pieces(trace, cases[i].count, cases[i].limit);
        check_case_prove(&now);
    }
}

CHECK(upload_goes_on, .points = 10, .title = "Task 4: rows through pinned blocks, one wait for all",
      .hints = {"Task 4: when may a pinned block be released to the pool?",
                "At once: the pool knows which copy uses the block, and hands it out again only when that is done.",
                "For each row: lab_pinned_mempool_alloc, memcpy, lab_array_set_async from the block, "
                "lab_pinned_mempool_free. After the loop: lab_stream_synchronize."})
{
    enum { LENGTH = LAB05_MOST / LAB05_ROWS };
    check_program *program = check_start(sizeof(lab05_memory));
    check_upload(program, LAB05_ROWS, LENGTH);
    check_upload(program, 1, check_draw(2, LENGTH));
    check_upload(program, check_draw(2, LAB05_ROWS - 1), check_draw(2, LENGTH - 1));
}

/* ---- Task 5 ------------------------------------------------------------------------------------------------------ */

CHECK(loan_is_safe, .points = 15, .title = "Task 5: a block that another stream uses is not given away early",
      .hints = {"Task 5: from which call could the pool know that the borrower uses the block?",
                "The launch names the table, not the block: the pool cannot see it. lab.h has a call that says so.",
                "launch; lab_mempool_record_stream(loan->pool, loan->block, loan->borrower); then "
                "lab_mempool_free(loan->pool, loan->block, loan->owner)."})
{
    check_program *program = check_start(sizeof(lab05_memory));
    check_loan(program, LAB05_MOST);
    check_loan(program, check_draw(1, 500));
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

/* One sample of each row of the table, with new numbers: the student's program, and the reference. */
static void time_loops(void *user, double *milliseconds)
{
    check_program *const *both = user;
    for (int who = 0; who < 2; who++) {
        milliseconds[2 * who] = check_case_time(&from_own_pool, both[who], &loop);
        milliseconds[2 * who + 1] = check_case_time(&from_no_pool, both[who], &loop);
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
    CHECK_THAT(kernels == steps && check_count_ops(trace, LAB_OP_POOL_ALLOC) == 0, CHECK_RULE,
               "the arrays of the loop are not from your pool",
               .at = check_at(check_last_op(trace, LAB_OP_MEMORY_ALLOC)),
               .expected = check_text("%d steps, each to a new array of your pool from the array before", steps),
               .found = check_text("%d", kernels));
}

CHECK(own_pool_serves_a_loop, .points = 5, .seconds = 60, .measures = true,
      .title = "Task 6: a thousand arrays from your pool, a hundredth of the driver's calls",
      .hints = {"Where does the memory of the second array come from, when the first was released?",
                "From the block that was released, if lab05_free made it free and lab05_alloc finds it.",
                "lab05_free sets used to false at the block whose address is `memory`; its `bytes` do not matter."})
{
    check_builds_on(CHECK_TASK(2));
    enum { ROWS = 4, MOST_ALLOCATIONS = 10 };
    const check_case_run now = check_case_with(&from_own_pool, check_start_kept(sizeof(lab05_memory)), &loop);
    const lab_trace *trace = now.trace;
    int allocations = check_count_ops(trace, LAB_OP_MEMORY_ALLOC);
    CHECK_THAT(allocations <= MOST_ALLOCATIONS, CHECK_RULE, "your pool asks the driver again and again",
               .at = check_at(check_last_op(trace, LAB_OP_MEMORY_ALLOC)),
               .expected = check_text("at most %d allocations by the driver for 1000 arrays", MOST_ALLOCATIONS),
               .found = check_text("%d", allocations));
    check_own_memory(trace, loop.steps);
    check_case_prove(&now);

    static const check_row rows[ROWS] = {{"1000 arrays, own pool", CHECK_YOURS, 0},
                                         {"1000 arrays, no pool", CHECK_YOURS, 0},
                                         {"1000 arrays, own pool", CHECK_REFERENCE, 0},
                                         {"1000 arrays, no pool", CHECK_REFERENCE, 0}};
    double median[ROWS];
    check_program *both[] = {check_start(sizeof(lab05_memory)), check_start_reference(sizeof(lab05_memory))};
    check_measure(median, rows, ROWS, time_loops, both);
    check_ratio("own pool: times faster than none", median[1] / median[0], median[3] / median[2]);
}

static void give_numbers(check_program *program, const void *user)
{
    lab05_memory *memory = check_memory(program);
    (void)user;
    for (int i = 0; i < LAB05_MOST; i++) memory->input[i] = (float)i;
}

CHECK(failures_are_passed_on, .points = 5, .schedule = "fifo", .any_order = true,
      .after = "sequence_is_predicted, no_driver_allocation_in_the_loop, limit_is_kept, upload_goes_on, loan_is_safe",
      .title = "A call that fails ends the function, with its status",
      .hints = {"What does your function return when one of its calls fails?",
                "Every call returns a status: LAB_TRY(call) returns it at once, unless it is LAB_SUCCESS.",
                "LAB_TRY around each call. In lab05_twice only OUT_OF_MEMORY asks for less; any other failure is "
                "returned."})
{
    static const char *const functions[] = {"lab05_sequence", "lab05_smooth", "lab05_twice", "lab05_upload",
                                            "lab05_lend"};
    const lab05_arguments given = {.count = check_draw(260, 340), .steps = check_draw(3, 6), .limit = 2 * UNIT};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        check_failures(&(check_failing){
            .function = functions[i],
            .arguments = &given,
            .argument_bytes = sizeof given,
            .memory_bytes = sizeof(lab05_memory),
            .prepare = give_numbers,
            .also = CHECK_FAIL_WAITS,
            .at_once = true,
            .cause_of = {"lab_mempool_alloc", strcmp(functions[i], "lab05_twice") == 0
                                                  ? "only LAB_ERROR_OUT_OF_MEMORY means to ask for less: return every "
                                                    "other status"
                                                  : NULL}});
}
