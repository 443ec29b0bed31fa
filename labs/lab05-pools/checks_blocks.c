/* Uses of blocks of a pool; see checks_blocks.h. */
#include "checks_blocks.h"

#include "find.h"

#include <string.h>

void call_doubled(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = 0; i < now->count; i++) to[i] = 2.0f * from[0][i];
}

bool is_of_given_pool(const lab_trace *trace, const lab_trace_op *block)
{
    const lab_trace_op *memory = NULL;
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const bool makes = op->kind == LAB_OP_MEMORY_ALLOC || op->kind == LAB_OP_HOST_ALLOC;
        if (makes && block->object - op->object < op->bytes) memory = op;
        if (memory && (op->kind == LAB_OP_MEMORY_FREE || op->kind == LAB_OP_HOST_FREE) && op->object == memory->object)
            return true;
    }
    return false;
}

/* ---- rows through pinned blocks ---------------------------------------------------------------------------------- */

/* The block of the pinned pool that a copy reads, by the call that took it: one that holds all its bytes and has not
 * been released. NULL without such an operation. */
static const lab_trace_op *block_of(const lab_trace *trace, const lab_trace_op *copy)
{
    const lab_trace_op *found = NULL;
    const lab_trace_access *from = NULL;
    for (int k = 0; k < copy->accesses; k++)
        if (copy->access[k].host) from = &copy->access[k];
    for (const lab_trace_op *op = trace->op; from && op < copy; op++) {
        const bool holds = from->address - op->object < op->bytes && from->bytes <= op->bytes &&
                           from->address - op->object <= op->bytes - from->bytes;
        if (op->kind == LAB_OP_PINNED_POOL_ALLOC && holds) found = op;
        if (op->kind == LAB_OP_PINNED_POOL_FREE && found && op->object == found->object) found = NULL;
    }
    return found;
}

/* The array that a copy writes to, by the call that made it. */
static const lab_trace_op *array_of(const lab_trace *trace, const lab_trace_op *copy)
{
    for (int k = 0; k < copy->accesses; k++)
        for (const lab_trace_op *op = trace->op; !copy->access[k].host && op < copy; op++)
            if (op->kind == LAB_OP_POOL_ALLOC && copy->access[k].address - op->object < op->bytes) return op;
    return NULL;
}

/* What the host does next with the block of a copy, or with another: the next call of its thread that copies, waits,
 * takes or releases a block. NULL without such an operation. */
static const lab_trace_op *next_step(check_span span, const lab_trace_op *copy)
{
    for (const lab_trace_op *op = copy + 1; op < span.ends; op++) {
        const bool counts = op->kind == LAB_OP_COPY_HTOD || op->kind == LAB_OP_PINNED_POOL_ALLOC ||
                            op->kind == LAB_OP_PINNED_POOL_FREE || op->host_waits;
        if (counts && op->thread == copy->thread) return op;
    }
    return NULL;
}

/* Fails the check unless this copy is from a block of its row's own, on the stream, and the block is released next,
 * unless more of the row follows. */
static void check_row_copy(const lab_trace *trace, check_span span, const lab_trace_op *copy, uint64_t stream)
{
    const lab_trace_op *block = block_of(trace, copy), *array = array_of(trace, copy);
    CHECK_THAT(block && array, CHECK_RULE, "lab05_upload copies past its pinned blocks", .at = check_at(copy),
               .expected = "a copy from a block of the pinned pool that is still yours",
               .found = "a copy from other memory",
               .cause = "the row is copied from where it lies, or the block was released before its copy was enqueued");
    CHECK_THAT(is_of_given_pool(trace, block), CHECK_RULE, "lab05_upload takes its blocks from another pool",
               .at = check_at(copy), .expected = "a block of `pool`", .found = "a block of another pool");
    CHECK_THAT(copy->stream == stream, CHECK_RULE, "lab05_upload copies on another stream", .at = check_at(copy),
               .expected = check_text("stream %llu, which lab05_upload was given", (unsigned long long)stream),
               .found = check_text("stream %llu", (unsigned long long)copy->stream),
               .cause = "NULL is the current stream");
    for (const lab_trace_op *op = block; op < copy; op++) {
        CHECK_THAT(op->kind != LAB_OP_COPY_HTOD || block_of(trace, op) != block || array_of(trace, op) == array,
                   CHECK_RULE, "lab05_upload sends two rows through one block", .at = check_at(copy),
                   .expected = "a block for each row", .found = "two rows in one block",
                   .cause = "every row takes a block and releases it");
    }
    const lab_trace_op *next = next_step(span, copy);
    CHECK_THAT(next && ((next->kind == LAB_OP_PINNED_POOL_FREE && next->object == block->object) ||
                        (next->kind == LAB_OP_COPY_HTOD && block_of(trace, next) == block)),
               CHECK_RULE, "lab05_upload does not release a block as soon as its copy is enqueued",
               .at = check_at(copy), .expected = "the block released next, or more of its row",
               .found = next ? lab_op_kind_name(next->kind) : "nothing",
               .cause = "the pool knows which copy uses the block: you need not keep it until the copy is done");
}

/* Fails the check unless the host waits once, after the last copy. A wait for nothing does not count. */
static void check_one_wait(check_span span)
{
    int copies = 0, waits = 0;
    bool works = false; /* there is a copy that no call has waited for */
    const lab_trace_op *first = NULL;
    for (const lab_trace_op *op = span.begins; op < span.ends; op++) {
        if (op->kind == LAB_OP_COPY_HTOD) copies++, works = true;
        if (!op->host_waits || !works) continue;
        works = false;
        if (waits++ == 0) first = op;
    }
    CHECK_THAT(waits <= 1, CHECK_RULE, "lab05_upload waits between its rows", .at = check_at(first),
               .expected = check_text("all %d copies enqueued, then one wait", copies),
               .found = check_text("%d waits", waits),
               .cause = "a wait between two rows leaves the copy engine idle until the host comes back with the next "
                        "row");
}

static void copied(float *to, const float *const *from, const check_case_run *now)
{
    memcpy(to, from[0], now->count * sizeof *to);
}

static check_finding explain_row(const check_case_run *now, int array, size_t element)
{
    const int copies = check_count_in(now->span, LAB_OP_COPY_HTOD);
    (void)array, (void)element;
    return (check_finding){
        .at = copies < now->rows ? check_at_no_line() : check_at(check_op_in(now->span, LAB_OP_COPY_HTOD, -1)),
        .cause = copies < now->rows ? check_text("%d of %d rows are copied", copies, now->rows)
                 : check_count_in(now->span, LAB_OP_PINNED_POOL_ALLOC) == 0 ? "no pinned block was taken"
                 : now->row + 1 < now->rows
                     ? "a block was filled with the next row before the copy that uses it was done"
                     : NULL};
}

#define ROW(which) offsetof(lab05_memory, which), .stride = sizeof(float[LAB05_MOST / LAB05_ROWS])
static const check_case upload = {CALL_COMMON,
                                  .function = "lab05_upload",
                                  .rows_at = offsetof(lab05_arguments, steps),
                                  .explain = explain_row,
                                  .array = {{"row", ROW(row), .low = -1.0f, .high = 1.0f},
                                            {"the rows on the device", ROW(arrived), .is = copied, .from = {"row"}}},
                                  .no_kernel = true};

void check_upload(check_program *program, int rows, int length)
{
    const lab05_arguments given = {.count = length, .steps = rows};
    const check_case_run now = check_case_with(&upload, program, &given);
    const uint64_t stream = check_find(now.trace, (check_sought){.kind = LAB_OP_STREAM_CREATE})->stream;
    check_case_prove(&now);
    check_one_wait(now.span);
    check_keeps_nothing(now.trace, now.span);
    for (const lab_trace_op *op = now.span.begins; op < now.span.ends; op++)
        if (op->kind == LAB_OP_COPY_HTOD) check_row_copy(now.trace, now.span, op, stream);
    check_waits_for_all(now.trace, now.span);
}

/* ---- a block that is lent ---------------------------------------------------------------------------------------- */

/* What the record shows of the loan; NULL for what is missing. */
typedef struct loan_record {
    uint64_t owner, borrower;    /* streams: the first two that the program makes */
    const lab_trace_op *lent;    /* the block's allocation, the first on the owner */
    const lab_trace_op *launch;  /* of gather */
    const lab_trace_op *freed;   /* the block */
    const lab_trace_op *again;   /* the last allocation on the owner, of the same size */
    const lab_trace_op *cleared; /* the fill after that */
    int launches;
} loan_record;

static loan_record read_loan(const lab_trace *trace)
{
    loan_record seen = {.launch = check_find(trace, (check_sought){LAB_OP_KERNEL, .name = "gather"})};
    for (const lab_trace_op *op = trace->op; op < trace->op + trace->ops; op++) {
        const bool on_owner = seen.owner && op->stream == seen.owner;
        if (op->kind == LAB_OP_STREAM_CREATE && seen.owner && !seen.borrower) seen.borrower = op->stream;
        if (op->kind == LAB_OP_STREAM_CREATE && !seen.owner) seen.owner = op->stream;
        if (op->kind == LAB_OP_KERNEL) seen.launches += strcmp(op->name, "gather") == 0;
        if (op->kind == LAB_OP_POOL_ALLOC && on_owner && !seen.lent) seen.lent = op;
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
    if (other >= begin + bytes || begin >= other + bytes) return false;
    return !lab_relations_before(check_relations(trace), seen->launch->id, seen->cleared->id);
}

static const check_case lend = {CALL_COMMON, .function = "lab05_lend",
                                .array = {CALL_INPUT, CALL_OUTPUT(call_doubled)}};

void check_loan(check_program *program, int count)
{
    const check_case_run now = check_case_at(&lend, program, (size_t)count);
    const lab_trace *trace = now.trace;
    const check_span span = now.span;
    const loan_record seen = read_loan(trace);
    CHECK_THAT(seen.lent && seen.launches == 1, CHECK_RULE, "lab05_lend does not launch gather once",
               .at = check_at(seen.launch), .expected = "one launch of gather",
               .found = check_text("%d", seen.launches),
               .cause = seen.launches ? "one launch reads the whole block"
                                      : "gather is not launched: is lab05_lend written yet?");
    CHECK_THAT(seen.launch->stream == seen.borrower, CHECK_RULE, "lab05_lend launches gather on another stream",
               .at = check_at(seen.launch),
               .expected = check_text("gather on the borrower, stream %llu", (unsigned long long)seen.borrower),
               .found = check_text("stream %llu", (unsigned long long)seen.launch->stream),
               .cause = "the work that the block is lent for is on loan->borrower");
    CHECK_THAT(seen.freed && seen.freed < span.ends, CHECK_LEAK, "lab05_lend does not free the block",
               .at = check_at(seen.launch),
               .expected = check_text("the block released on its owner, stream %llu", (unsigned long long)seen.owner),
               .found = "no lab_mempool_free of it",
               .cause = "a block goes back on the stream on which it was allocated");
    CHECK_THAT(seen.freed->stream == seen.owner, CHECK_RULE, "lab05_lend frees the block on another stream",
               .at = check_at(seen.freed), .found = check_text("stream %llu", (unsigned long long)seen.freed->stream));
    CHECK_THAT(seen.cleared, CHECK_RULE, "the block was not handed out again", .at = check_at(seen.freed));
    check_returns_at_once(trace, span);
    CHECK_THAT(!is_overwritten(trace, &seen), CHECK_RACE_SUSPECTED,
               "gather reads a block that has already been handed out again", .at = check_at(seen.freed),
               .expected = "a block that the owner gets again only when gather has read it",
               .found = "the same block, overwritten by work on the owner that waits for nothing on the borrower",
               .cause = "when the block was freed here, the pool did not know that the borrower uses it: the owner got "
                        "it again and overwrote it before gather had read it");
    check_case_numbers(&now);
    /* The table names the lent block. Its numbers were there, since gather doubled them. */
    const check_passage passage = {.output = {now.numbers[1], now.count * sizeof(float)},
                                   .input = {{&seen.lent->object, sizeof seen.lent->object}}};
    check_flow(program, trace,
               &(check_way){.function = lend.function,
                            .passage = &passage,
                            .passages = 1,
                            .kernel = {{"kernels.cu", "gather(float to[count], float *table[1], int count)"}}});
    check_keeps_nothing(trace, span);
}
