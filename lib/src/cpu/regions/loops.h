/*
 * Loops that the threads of a block go through side by side. In
 *
 *     for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
 *
 * neighbours read neighbours' elements, and each thread's own come from all over the array. The code is fast if all
 * threads take a step before any takes the next one. So each iteration becomes a region.
 *
 * That changes in which order threads take turns and nothing else. A thread's own instructions keep their order, and
 * between two waits CUDA promises no order among threads. It is therefore right for any loop; this file decides where
 * it is worth its cost.
 */
#ifndef LAB_CPU_REGIONS_LOOPS_H
#define LAB_CPU_REGIONS_LOOPS_H

#include "regions.h"

typedef struct ir_loops {
    bool *ends_turn; /* of each node: it leads into such a loop, or ends an iteration */
    int *steps;      /* of each phi of a header that adds the same number in each iteration: its addition; else -1 */
    bool any;        /* there is such a loop, or such a phi */
} ir_loops;

/* Finds them, given the kernel's regions without them. Call ir_loops_free whatever the result. False when memory runs
 * out. */
bool ir_loops_find(ir_loops *loops, const ir_regions *r);
void ir_loops_free(ir_loops *loops);

/*
 * Writes the kernel so that i is not a thread's own sum, but its beginning and a number that all threads have in
 * common:
 *
 *     i = phi [start], [i + step]     becomes     steps = phi [0], [steps + step];  i = start + steps
 *
 * Both are sums of the same numbers, modulo 2^32 or 2^64, and are equal in every iteration. The new addition may
 * overflow, and does not promise otherwise. False when memory runs out.
 */
bool ir_loops_write(cpu_text *out, const ir_loops *loops, const ir_graph *g, span kernel);

#endif
