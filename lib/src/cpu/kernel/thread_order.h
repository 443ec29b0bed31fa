/*
 * A shuffled order of the threads of a block that have a stack each: warp by warp, each as far as it gets before the
 * next one, and within a warp lane by lane. The orders of warps and of lanes change after every barrier of the
 * block. They depend on the seed, the block and the number of barriers passed alone. Independent of stacks and of
 * what threads wait for.
 */
#ifndef LAB_CPU_KERNEL_THREAD_ORDER_H
#define LAB_CPU_KERNEL_THREAD_ORDER_H

#include <stdint.h>

enum { THREAD_ORDER_MOST = 32 }; /* warps of a block, lanes of a warp */

typedef struct thread_order {
    uint64_t seed, block, region;
    unsigned warps, lanes;
    unsigned char warp[THREAD_ORDER_MOST], lane[THREAD_ORDER_MOST];
} thread_order;

/* A block of that number and size begins; all its threads have passed a barrier. */
void thread_order_begin(thread_order *order, uint64_t seed, uint64_t block, unsigned threads);
void thread_order_pass_barrier(thread_order *order);

/* The first in the order of a set of warps, or lanes: a bit each, at least one of them set. */
unsigned thread_order_first_warp(const thread_order *order, uint32_t warps);
unsigned thread_order_first_lane(const thread_order *order, uint32_t lanes);

#endif
