/*
 * What an operation of a warp gives each lane, once all that take part are there. Pure functions: knows CUDA's
 * definitions, refuses to know how threads wait.
 */
#ifndef LAB_CPU_KERNEL_WARP_H
#define LAB_CPU_KERNEL_WARP_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

#include <stdint.h>

enum { CPU_WARP_LANES = 32 };

/* "__shfl_down_sync" */
const char *cpu_wait_name(cpu_wait_kind kind);

/* Fills in the results of one operation: wait[lane] is what the lane asked for, read where `members` has its bit. All
 * of them are of the same kind. */
void cpu_warp_complete(cpu_wait *const wait[CPU_WARP_LANES], uint32_t members);

#endif
