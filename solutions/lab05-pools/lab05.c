/* Lab 05, memory pools. The lesson is in README.md, the contract in lab05.h. */
#include "lab05.h"

#include <string.h>

lab_status lab05_sequence(lab_mempool *pool, lab05_look look)
{
    /* Task 1: the seven steps, with a look after each. */
    lab_deviceptr a, b, c, d;
    LAB_TRY(lab_mempool_alloc(&a, pool, 400, lab_stream_null()));
    look.call(look.user, 1);
    LAB_TRY(lab_mempool_free(pool, a, lab_stream_null()));
    look.call(look.user, 2);
    LAB_TRY(lab_mempool_free_all_blocks(pool));
    look.call(look.user, 3);
    LAB_TRY(lab_mempool_alloc(&b, pool, 4096, lab_stream_null()));
    look.call(look.user, 4);
    LAB_TRY(lab_mempool_free(pool, b, lab_stream_null()));
    LAB_TRY(lab_mempool_alloc(&c, pool, 1000, lab_stream_null()));
    look.call(look.user, 5);
    LAB_TRY(lab_mempool_alloc(&d, pool, 3000, lab_stream_null()));
    look.call(look.user, 6);
    LAB_TRY(lab_mempool_free(pool, c, lab_stream_null()));
    LAB_TRY(lab_mempool_free(pool, d, lab_stream_null()));
    look.call(look.user, 7);
    return LAB_SUCCESS;
}

/* Task 1: your prediction of used, free and total bytes, before the steps and after each. */
const lab05_numbers lab05_predicted[LAB05_STEPS] = {
    [0] = {0, 0, 0},          [1] = {512, 0, 512}, /* Task 1 */
    [2] = {0, 512, 512},                           /* Task 1 */
    [3] = {0, 0, 0},                               /* Task 1 */
    [4] = {4096, 0, 4096},                         /* Task 1 */
    [5] = {1024, 3072, 4096},                      /* Task 1 */
    [6] = {4096, 0, 4096},                         /* Task 1 */
    [7] = {0, 4096, 4096},                         /* Task 1 */
};

lab_status lab05_smooth(float *output, lab_array *array, int count, int steps, lab_function smooth)
{
    /* Task 2: in each step make a new array, launch the kernel, release the old array. */
    for (int step = 0; step < steps; step++) {
        lab_array *next;
        LAB_TRY(lab_array_empty(&next, LAB_FLOAT32, LAB_SHAPE((size_t)count)));
        LAB_TRY(lab_launch(smooth, LAB05_GRID(count), LAB05_BLOCK, 0, NULL,
                           LAB_ARGS(next, array, count)));
        LAB_TRY(lab_array_destroy(array));
        array = next;
    }
    LAB_TRY(lab_array_get(array, output));
    LAB_TRY(lab_array_destroy(array));
    return LAB_SUCCESS;
}

lab_status lab05_twice(float *output, const float *input, int count, lab_mempool *pool,
                       lab_function twice)
{
    /* Task 3: ask for room for all numbers, then half, and so on; then work in pieces. */
    lab_deviceptr buffer;
    int room = count;
    lab_status status;
    while ((status = lab_mempool_alloc(&buffer, pool, (size_t)room * sizeof(float), NULL)) ==
               LAB_ERROR_OUT_OF_MEMORY &&
           room > 1)
        room = (room + 1) / 2;
    LAB_TRY(status);
    for (int first = 0; first < count; first += room) {
        int piece = count - first < room ? count - first : room;
        size_t bytes = (size_t)piece * sizeof(float);
        LAB_TRY(lab_memcpy_htod(buffer, input + first, bytes));
        LAB_TRY(
            lab_launch(twice, LAB05_GRID(piece), LAB05_BLOCK, 0, NULL, LAB_ARGS(buffer, piece)));
        LAB_TRY(lab_memcpy_dtoh(output + first, buffer, bytes));
    }
    LAB_TRY(lab_mempool_free(pool, buffer, NULL));
    return LAB_SUCCESS;
}

lab_status lab05_upload(lab_array *const *rows, const float *const *row, int count, size_t bytes,
                        lab_pinned_mempool *pool, lab_stream *stream)
{
    /* Task 4: for each row, get a pinned block, fill it, copy from it, free it; then wait. */
    for (int k = 0; k < count; k++) {
        void *block;
        LAB_TRY(lab_pinned_mempool_alloc(&block, pool, bytes));
        memcpy(block, row[k], bytes);
        LAB_TRY(lab_array_set_async(rows[k], block, stream));
        LAB_TRY(lab_pinned_mempool_free(pool, block));
    }
    LAB_TRY(lab_stream_synchronize(stream));
    return LAB_SUCCESS;
}

lab_status lab05_lend(const lab05_loan *loan)
{
    /* Task 5: launch on the borrower; tell the pool what it cannot see; free on the owner. */
    LAB_TRY(lab_launch(loan->gather, LAB05_GRID(loan->count), LAB05_BLOCK, 0, loan->borrower,
                       LAB_ARGS(loan->to, loan->table, loan->count)));
    LAB_TRY(lab_mempool_record_stream(loan->pool, loan->block, loan->borrower));
    LAB_TRY(lab_mempool_free(loan->pool, loan->block, loan->owner));
    return LAB_SUCCESS;
}

/* Given: makes room for one more block, which becomes number `at`. */
static inline void insert_block(lab05_pool *pool, int at)
{
    memmove(&pool->block[at + 1], &pool->block[at],
            (size_t)(pool->blocks - at) * sizeof *pool->block);
    pool->blocks++;
}

/* Given: removes block number `at`. */
static inline void remove_block(lab05_pool *pool, int at)
{
    pool->blocks--;
    memmove(&pool->block[at], &pool->block[at + 1],
            (size_t)(pool->blocks - at) * sizeof *pool->block);
}

lab_status lab05_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user)
{
    (void)stream;
    bytes = (bytes + LAB05_UNIT - 1) / LAB05_UNIT * LAB05_UNIT;
    /* Task 6: find the best block, cut it to size, and mark it as used. */
    lab05_pool *pool = user;
    lab05_block *best = NULL;
    for (int i = 0; i < pool->blocks; i++) {
        lab05_block *block = &pool->block[i];
        if (!block->used && block->bytes >= bytes && (!best || block->bytes < best->bytes))
            best = block;
    }
    if (!best) return LAB_ERROR_OUT_OF_MEMORY;
    if (best->bytes > bytes) {
        if (pool->blocks == LAB05_MOST_BLOCKS) return LAB_ERROR_OUT_OF_MEMORY;
        insert_block(pool, (int)(best - pool->block) + 1);
        best[1] = (lab05_block){best->address + bytes, best->bytes - bytes, false};
        best->bytes = bytes;
    }
    best->used = true;
    *out = best->address;
    return LAB_SUCCESS;
}

lab_status lab05_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)bytes, (void)stream;
    /* Task 6: find the block, mark it as free, and join it with its free neighbours. */
    lab05_pool *pool = user;
    int at = 0;
    while (at < pool->blocks && !(pool->block[at].used && pool->block[at].address == memory)) at++;
    if (at == pool->blocks) return LAB_ERROR_INVALID_VALUE;
    pool->block[at].used = false;
    if (at + 1 < pool->blocks && !pool->block[at + 1].used) {
        pool->block[at].bytes += pool->block[at + 1].bytes;
        remove_block(pool, at + 1);
    }
    if (at > 0 && !pool->block[at - 1].used) {
        pool->block[at - 1].bytes += pool->block[at].bytes;
        remove_block(pool, at);
    }
    return LAB_SUCCESS;
}
