/* Blocks of a launch for the calling thread to run: what every way of running them needs. */
#ifndef LAB_CPU_KERNEL_KERNEL_BLOCKS_H
#define LAB_CPU_KERNEL_KERNEL_BLOCKS_H

#include <stdbool.h>

#include "kernel_error.h"

#include <stdint.h>

/* Called on a block's way, perhaps on a stack of the block's threads: all that have not exited passed the barrier at
 * `place`; lanes of a warp come together at an operation, whose requests are wait[lane], or only at __syncwarp; a
 * thread has exited. The last two are NULL if nobody asks. */
typedef struct kernel_watch {
    void (*barrier)(void *user, const kernel_place *place);
    void (*warp)(void *user, unsigned warp, uint32_t lanes, cpu_wait *const wait[]);
    void (*exited)(void *user, unsigned thread);
    bool syncwarps_alone;
    void *user;
} kernel_watch;

typedef struct kernel_blocks {
    const cpu_kernel *kernel;
    const void *const *args; /* a pointer to each argument */
    const cpu_launch *launch;
    uint64_t first, count;        /* blocks [first, first + count) of the grid, in linear order, x fastest */
    bool together;                /* they run at the same time (grid.h), else one after another */
    const uint64_t *shuffle_seed; /* makes the order in which threads run; NULL: from the first to the last */
    const kernel_watch *watch;    /* of threads that wait for others; NULL if nobody watches */
} kernel_blocks;

/* The index of a block of the launch, or of a thread of its blocks, by its number. */
static inline void kernel_block_index(unsigned index[3], uint64_t number, const cpu_launch *launch)
{
    index[0] = (unsigned)(number % launch->grid[0]);
    index[1] = (unsigned)(number / launch->grid[0] % launch->grid[1]);
    index[2] = (unsigned)(number / launch->grid[0] / launch->grid[1]);
}

static inline void kernel_thread_index(unsigned index[3], unsigned number, const cpu_launch *launch)
{
    index[0] = number % launch->block[0];
    index[1] = number / launch->block[0] % launch->block[1];
    index[2] = number / launch->block[0] / launch->block[1];
}

static inline unsigned kernel_thread_number(const unsigned index[3], const cpu_launch *launch)
{
    return index[0] + launch->block[0] * (index[1] + launch->block[1] * index[2]);
}

static inline unsigned kernel_block_threads(const cpu_launch *launch)
{
    return launch->block[0] * launch->block[1] * launch->block[2];
}

#endif
