/* A right answer: the sequence is a table, goto releases what was taken, its own pool looks for its block by halving
 * the list, sizes are rounded by a mask. */
#include "lab05.h"

#include <string.h>

#define GO(call)                                                                                                       \
    if (__builtin_expect((status = (call)) != LAB_SUCCESS, false)) goto end

enum op { ALLOC, FREE, FREE_ALL };
struct line {
    enum op op;
    char which;
    unsigned short bytes, look;
};

lab_status lab05_sequence(lab_mempool *pool, lab05_look look)
{
    static const struct line lines[] = {
        {ALLOC, 'a', 400, 1},  {FREE, 'a', 0, 2},     {FREE_ALL, 0, 0, 3}, {ALLOC, 'b', 4096, 4}, {FREE, 'b', 0, 0},
        {ALLOC, 'c', 1000, 5}, {ALLOC, 'd', 3000, 6}, {FREE, 'd', 0, 0},   {FREE, 'c', 0, 7},
    };
    lab_deviceptr at['d' + 1] = {0};
    lab_status status = LAB_SUCCESS;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct line *l = lines + i;
        switch (l->op) {
        case ALLOC: GO(lab_mempool_alloc(&at[(unsigned char)l->which], pool, l->bytes, lab_stream_null())); break;
        case FREE: GO(lab_mempool_free(pool, at[(unsigned char)l->which], lab_stream_null())); break;
        case FREE_ALL: GO(lab_mempool_free_all_blocks(pool)); break;
        }
        if (l->look) look.call(look.user, l->look);
    }
end:
    return status;
}

#define UNITS(used, free)                                                                                              \
    {                                                                                                                  \
        LAB05_UNIT *(used), LAB05_UNIT *(free), LAB05_UNIT *((used) + (free))                                          \
    }
const lab05_numbers lab05_predicted[LAB05_STEPS] = {
    UNITS(0, 0), UNITS(1, 0), UNITS(0, 1), UNITS(0, 0), UNITS(8, 0), UNITS(2, 6), UNITS(8, 0), UNITS(0, 8),
};

lab_status lab05_smooth(float *output, lab_array *array, int count, int steps, lab_function smooth)
{
    lab_status status = LAB_SUCCESS;
    lab_array *old = array, *new = NULL;
    while (steps-- > 0) {
        GO(lab_array_empty(&new, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
        GO(lab_launch(smooth, LAB05_GRID(count), LAB05_BLOCK, 0, lab_stream_null(), LAB_ARGS(new, old, count)));
        GO(lab_array_destroy(old));
        old = new, new = NULL;
    }
    GO(lab_array_get_async(old, output, lab_stream_null()));
    GO(lab_stream_synchronize(lab_stream_null()));
end:
    lab_array_destroy(new);
    lab_array_destroy(old);
    return status;
}

lab_status lab05_twice(float *output, const float *input, int count, lab_mempool *pool, lab_function twice)
{
    lab_status status;
    lab_deviceptr buffer = 0;
    int room = count, done = 0, piece;
retry:
    status = lab_mempool_alloc(&buffer, pool, sizeof(float) * (size_t)room, lab_stream_null());
    if (status == LAB_ERROR_OUT_OF_MEMORY && (room >>= 1) > 0) goto retry; /* rounds down */
    GO(status);
    while (done < count) {
        piece = count - done;
        if (piece > room) piece = room;
        GO(lab_memcpy_htod_async(buffer, &input[done], sizeof(float) * (size_t)piece, lab_stream_null()));
        GO(lab_launch(twice, LAB05_GRID(piece), LAB05_BLOCK, 0, lab_stream_null(), LAB_ARGS(buffer, piece)));
        GO(lab_memcpy_dtoh_async(&output[done], buffer, sizeof(float) * (size_t)piece, lab_stream_null()));
        done += piece;
    }
    GO(lab_stream_synchronize(lab_stream_null()));
end:
    lab_mempool_free(pool, buffer, lab_stream_null());
    return status;
}

lab_status lab05_upload(lab_array *const *rows, const float *const *row, int count, size_t bytes,
                        lab_pinned_mempool *pool, lab_stream *stream)
{
    lab_status status = LAB_SUCCESS;
    for (void *block; count-- > 0; rows++, row++) {
        GO(lab_pinned_mempool_alloc(&block, pool, bytes));
        status = lab_memcpy_htod_async(lab_array_data(*rows), __builtin_memcpy(block, *row, bytes), bytes, stream);
        GO(lab_pinned_mempool_free(pool, block) ?: status);
    }
    GO(lab_stream_synchronize(stream));
end:
    return status;
}

lab_status lab05_lend(const lab05_loan *loan)
{
    lab_status status;
    GO(lab_mempool_record_stream(loan->pool, loan->block,
                                 loan->borrower)); /* before the launch: it holds until the free */
    GO(lab_launch(loan->gather, LAB05_GRID(loan->count), LAB05_BLOCK, 0, loan->borrower,
                  LAB_ARGS(loan->to, loan->table, loan->count)));
    GO(lab_mempool_free(loan->pool, loan->block, loan->owner));
end:
    return status;
}

/* Moves the blocks from `from` on to `to`. */
static void shift_blocks(lab05_pool *pool, int from, int to)
{
    memmove(pool->block + to, pool->block + from, sizeof *pool->block * (size_t)(pool->blocks - from));
    pool->blocks += to - from;
}

lab_status lab05_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    lab05_pool *const pool = user;
    int best = -1;
    size_t least = SIZE_MAX;
    (void)stream;
    bytes = (bytes + (LAB05_UNIT - 1)) & ~(size_t)(LAB05_UNIT - 1);
    for (int i = pool->blocks; i-- > 0;) {
        const lab05_block b = pool->block[i];
        if (b.used || b.bytes < bytes || b.bytes > least) continue;
        best = i, least = b.bytes; /* from the end: of equal ones the first comes last */
    }
    if (best < 0) return LAB_ERROR_OUT_OF_MEMORY;
    lab05_block *b = &pool->block[best];
    if (least != bytes) {
        if (pool->blocks >= LAB05_MOST_BLOCKS) return LAB_ERROR_OUT_OF_MEMORY;
        shift_blocks(pool, best, best + 1);
        b[0].bytes = bytes;
        b[1].address += bytes;
        b[1].bytes -= bytes;
    }
    b->used = true;
    return *out = b->address, LAB_SUCCESS;
}

lab_status lab05_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    lab05_pool *const pool = user;
    int low = 0, high = pool->blocks;
    (void)bytes, (void)stream;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(pool->block[middle].address <= memory ? &low : &high) = middle;
    }
    if (high <= low || pool->block[low].address != memory || !pool->block[low].used) return LAB_ERROR_INVALID_VALUE;
    pool->block[low].used = false;
    for (int i = pool->blocks - 1; i > 0; i--) {
        lab05_block *one = &pool->block[i - 1], *next = one + 1;
        if (one->used || next->used) continue;
        one->bytes += next->bytes;
        shift_blocks(pool, i + 1, i);
    }
    return LAB_SUCCESS;
}
