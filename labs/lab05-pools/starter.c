/* Lab 05, memory pools. The lesson is in README.md, the contract in lab05.h. */
#include "lab05.h"

#include <string.h>

lab_status lab05_sequence(lab_mempool *pool, lab05_look look)
{
    /* TODO(1): the seven steps, with a look after each. */
    return LAB_SUCCESS;
}

/* Task 1: your prediction of used, free and total bytes, before the steps and after each. */
const lab05_numbers lab05_predicted[LAB05_STEPS] = {
    [0] = {0, 0, 0}, [1] = {1, 1, 1}, /* TODO(1) */
    [2] = {1, 1, 1},                  /* TODO(1) */
    [3] = {1, 1, 1},                  /* TODO(1) */
    [4] = {1, 1, 1},                  /* TODO(1) */
    [5] = {1, 1, 1},                  /* TODO(1) */
    [6] = {1, 1, 1},                  /* TODO(1) */
    [7] = {1, 1, 1},                  /* TODO(1) */
};

lab_status lab05_smooth(float *output, lab_array *array, int count, int steps, lab_function smooth)
{
    /* TODO(2): in each step make a new array, launch the kernel, release the old array. */
    return LAB_SUCCESS;
}

lab_status lab05_twice(float *output, const float *input, int count, lab_mempool *pool,
                       lab_function twice)
{
    /* TODO(3): ask for room for all numbers, then half, and so on; then work in pieces. */
    return LAB_SUCCESS;
}

lab_status lab05_upload(lab_array *const *rows, const float *const *row, int count, size_t bytes,
                        lab_pinned_mempool *pool, lab_stream *stream)
{
    /* TODO(4): for each row, get a pinned block, fill it, copy from it, free it; then wait. */
    return LAB_SUCCESS;
}

lab_status lab05_lend(const lab05_loan *loan)
{
    /* TODO(5): launch on the borrower; tell the pool what it cannot see; free on the owner. */
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
    /* TODO(6): find the best block, cut it to size, and mark it as used. */
    return LAB_ERROR_OUT_OF_MEMORY; /* TODO(6) */
}

lab_status lab05_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user)
{
    (void)bytes, (void)stream;
    /* TODO(6): find the block, mark it as free, and join it with its free neighbours. */
    return LAB_ERROR_INVALID_VALUE; /* TODO(6) */
}
