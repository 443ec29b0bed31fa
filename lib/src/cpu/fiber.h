/*
 * Blocks whose threads wait for each other: each thread of the block runs on a fiber of its own, all on the calling
 * host thread, one after another; a fiber that waits is left until what it waits for has come. Knows CUDA's rules for
 * barriers and warp operations; refuses to know queues and streams.
 */
#ifndef LAB_CPU_FIBER_H
#define LAB_CPU_FIBER_H

#include <stdbool.h>

#include "kernel_abi.h"

#include <stdint.h>

/* Runs blocks [first, first + count) of the grid, in linear order, on the calling thread. A barrier or warp operation
 * that can never be completed ends the process with a message that names the kernel, the block, the threads and their
 * lines. */
void cpu_fiber_run(const cpu_kernel *kernel, const void *const *args, const cpu_launch *launch, uint64_t first,
                   uint64_t count);

#endif
