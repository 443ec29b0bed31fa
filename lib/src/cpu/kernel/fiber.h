/*
 * Blocks whose threads wait for each other: each thread of the block runs on a stack of its own, all on the calling
 * host thread, one at a time; a thread that waits is left until what it waits for has come. Knows CUDA's rules for
 * barriers and warp operations; refuses to know queues and streams.
 */
#ifndef LAB_CPU_KERNEL_FIBER_H
#define LAB_CPU_KERNEL_FIBER_H

#include "failure.h"

#include <stdint.h>

/* Runs blocks [first, first + count) of the grid, in linear order, on the calling thread. False, with *error filled
 * in, if a thread stopped the kernel, or if threads wait for what can never come. */
bool cpu_fiber_run(kernel_error *error, const cpu_kernel *kernel, const void *const *args, const cpu_launch *launch,
                   uint64_t first, uint64_t count);

#endif
