/*
 * Lab 05, memory pools: what you are given and what you write.
 */
#ifndef LAB05_H
#define LAB05_H

#include "lab.h"

/* A function that succeeds has released what it made, and what it was given to destroy or to free. If a call
 * fails, it returns that status at once. The status of a cleanup call may be lost. */

/* Looks at a pool: call look.call(look.user, 1) after step 1. */
typedef struct lab05_look {
    void (*call)(void *user, int step);
    void *user;
} lab05_look;

/* Task 1. All on the null stream, with a look after each step:
 * 1 a of 400 bytes, 2 free a, 3 free all blocks, 4 b of 4096 bytes, 5 free b, then c of 1000 bytes, 6 d of 3000 bytes,
 * 7 free c and d. */
lab_status lab05_sequence(lab_mempool *pool, lab05_look look);

/* Task 1. Your prediction of the pool's numbers after each step, at lab05_predicted[step]; [0] is before step 1. */
typedef struct lab05_numbers {
    size_t used, free, total; /* bytes */
} lab05_numbers;
enum { LAB05_STEPS = 8 };
extern const lab05_numbers lab05_predicted[LAB05_STEPS];

/* A launch that is large enough for count elements, in blocks of 128 threads. */
#define LAB05_BLOCK LAB_DIM(128)
#define LAB05_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Task 2. Smooths count numbers in one step or more: each makes a new array from the old one, with the kernel
 * smooth(float *to, const float *from, int count), after which the old one is no longer needed. `array` is the first
 * and is yours to destroy; the numbers of the last are in output when the function returns. The host does not wait
 * between the steps. */
lab_status lab05_smooth(float *output, lab_array *array, int count, int steps, lab_function smooth);

/* Task 3. Writes 2 * input[i] to output[i] for count numbers, by way of the device, with one buffer from the pool. The
 * pool's limit, at least 512 bytes, may be lower than all the numbers need: ask for room for all, and halve the request
 * until the pool has a buffer. The limit stays. The kernel is twice(float *x, int count). */
lab_status lab05_twice(float *output, const float *input, int count, lab_mempool *pool, lab_function twice);

/* Task 4. Copies rows of ordinary memory to the device: row k to rows[k], each through a block of pinned memory from
 * the pool, on the stream. Every block is released as soon as its copy is enqueued; the host waits once, at the
 * end. */
lab_status lab05_upload(lab_array *const *rows, const float *const *row, int count, size_t bytes,
                        lab_pinned_mempool *pool, lab_stream *stream);

/* Task 5. A block that another stream uses unseen by the pool. `block` was allocated from the pool on the stream
 * `owner`, and its address is in the array `table` on the device. Launches the kernel gather(float *to, float *const
 * *table, int count), which reads the block through the table, on the stream `borrower`, and frees the block on
 * `owner`. Does not wait. The pool must not hand out the block again before the kernel has read it. */
typedef struct lab05_loan {
    lab_mempool *pool;
    lab_deviceptr block;
    lab_array *to, *table;
    int count;
    lab_function gather;
    lab_stream *owner, *borrower;
} lab05_loan;
lab_status lab05_lend(const lab05_loan *loan);

/* Task 6. A pool of your own over one piece of device memory, a multiple of LAB05_UNIT bytes: `blocks` blocks, in order
 * of address, without gaps, which together are that piece. */
typedef struct lab05_block {
    lab_deviceptr address;
    size_t bytes;
    bool used;
} lab05_block;
enum { LAB05_UNIT = 512, LAB05_MOST_BLOCKS = 128 };
typedef struct lab05_pool {
    lab05_block block[LAB05_MOST_BLOCKS];
    int blocks;
} lab05_pool;

/* Task 6. The two functions of a lab_allocator; `user` is the lab05_pool. lab05_alloc takes the smallest free block
 * that is large enough, of equal ones the first, and cuts it to size: a multiple of LAB05_UNIT. It returns
 * OUT_OF_MEMORY if no block is large enough, or if cutting would need one more block than there is room for. lab05_free
 * releases the block at that address and joins it with its free neighbours. It returns INVALID_VALUE if no block in
 * use begins there. */
lab_status lab05_alloc(lab_deviceptr *out, size_t bytes, lab_stream *stream, void *user);
lab_status lab05_free(lab_deviceptr memory, size_t bytes, lab_stream *stream, void *user);

#endif
