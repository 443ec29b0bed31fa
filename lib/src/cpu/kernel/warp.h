/*
 * The results of a warp operation for each lane, once all lanes that take part have arrived. Pure functions, by CUDA's
 * definitions. Independent of how threads wait.
 */
#ifndef LAB_CPU_KERNEL_WARP_H
#define LAB_CPU_KERNEL_WARP_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

#include <stdint.h>

enum { CPU_WARP_LANES = 32 };

/* Fills in the results of one operation. wait[lane] is what the lane asked for, and is read where `members` has its
 * bit. All of them are of the same kind. */
void cpu_warp_complete(cpu_wait *const wait[CPU_WARP_LANES], uint32_t members);

/* The lane from which a lane's shuffle reads. False if the operation is no shuffle, or the lane reads its own value. */
bool cpu_warp_source(unsigned *source, const cpu_wait *wait, unsigned lane);

#endif
