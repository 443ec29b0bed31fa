/*
 * What a barrier or warp operation gives each thread, once all that must take part are there. Pure functions: knows
 * CUDA's definitions, refuses to know how threads wait.
 */
#ifndef LAB_CPU_WARP_H
#define LAB_CPU_WARP_H

#include <stdbool.h>

#include "kernel_abi.h"

#include <stdint.h>

enum { CPU_WARP_LANES = 32 };

/* "__shfl_down_sync" */
const char *cpu_wait_name(cpu_wait_kind kind);

/* Whether all threads of the block take part, not the lanes of a warp that a mask names. */
bool cpu_wait_is_of_block(cpu_wait_kind kind);

/* Fills in the results of a warp operation: wait[lane] is what the lane asked for, NULL if it takes no part. */
void cpu_warp_complete(cpu_wait *const wait[CPU_WARP_LANES]);

/* The same for a barrier of the whole block; `count` threads, those that have exited are NULL. */
void cpu_barrier_complete(cpu_wait *const wait[], unsigned count);

#endif
