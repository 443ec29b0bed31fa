/*
 * Threads of a block of a split kernel that go different ways, or wait in warps. They go on warp by warp, each as far
 * as it gets, and the lanes of a warp in groups: lanes that are at the same place with the same frame. Knows CUDA's
 * rules for barriers and for which lanes take part in a warp function. Independent of how a kernel is split.
 */
#ifndef LAB_CPU_KERNEL_SPLIT_APART_H
#define LAB_CPU_KERNEL_SPLIT_APART_H

#include "split_run.h"
#include "thread_order.h"
#include "warp.h"

enum {
    SPLIT_MOST_WARPS = 32,
    SPLIT_MOST_GROUPS = CPU_WARP_LANES,
    SPLIT_APART_FRAMES = SPLIT_MORE_FRAMES + SPLIT_MOST_WARPS * SPLIT_MOST_GROUPS
};

typedef struct split_group {
    unsigned region;
    bool waits;     /* at the barrier or warp function before it */
    unsigned frame; /* its number among those of the warp's groups */
    uint32_t lanes;
} split_group;

typedef struct split_warp {
    unsigned first;  /* thread */
    uint32_t living; /* lanes that have not exited */
    int groups;
    split_group group[SPLIT_MOST_GROUPS];
} split_warp;

typedef struct split_apart {
    split_run *block;
    thread_order order; /* if the schedule shuffles threads */
    unsigned warps;
    split_warp warp[SPLIT_MOST_WARPS];
} split_apart;

/* Makes a new one ready for blocks. */
void split_apart_prepare(split_apart *apart);

/* Runs the kernel for all threads of the block. The frame is that of all of them. False, with the error filled in, if
 * threads wait for what can never come. */
bool split_apart_run(split_apart *apart, split_run *block, const unsigned char *frame);

/* The first of a warp's frames. */
static inline unsigned char *split_apart_frame(const split_run *block, unsigned warp)
{
    return split_run_frame(block, SPLIT_MORE_FRAMES + (size_t)warp * SPLIT_MOST_GROUPS);
}

/* The same from the regions on that cpu_split_slots.next has for the threads, until they have exited, or until all
 * threads of the block are together again behind a barrier. *region is then the next one of all of them, or
 * CPU_SPLIT_EXITED. Without a frame, each warp has its own in the first of its frames. */
bool split_apart_go_on(split_apart *apart, split_run *block, unsigned char *frame, unsigned *region);

#endif
