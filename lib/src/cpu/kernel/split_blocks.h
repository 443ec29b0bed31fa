/*
 * Blocks of split kernels (kernel_abi.h): all threads run a region, then all run the next; the barriers are what lies
 * between. Knows CUDA's rules for barriers; refuses to know how a kernel is split, and queues and streams.
 */
#ifndef LAB_CPU_KERNEL_SPLIT_BLOCKS_H
#define LAB_CPU_KERNEL_SPLIT_BLOCKS_H

#include "failure.h"

#include <stdint.h>

/* Runs blocks [first, first + count) of the grid, in linear order, on the calling thread. False, with *error filled in,
 * if threads wait at different barriers or memory runs out. launch->failed may leave by longjmp. */
bool cpu_split_run(kernel_error *error, const cpu_kernel *kernel, const void *const *args, const cpu_launch *launch,
                   uint64_t first, uint64_t count);

/* The name of a barrier that such a kernel has. */
const char *cpu_split_waits_at(const cpu_split *split);

#endif
