/*
 * The results of a warp operation for each lane, once all lanes that take part have arrived. Pure functions, by CUDA's
 * definitions. Independent of how threads wait.
 */
#ifndef LAB_CPU_KERNEL_WARP_H
#define LAB_CPU_KERNEL_WARP_H

#include <stdbool.h>

#include "cpu/builtins/warp_lanes.h"

#include <stdint.h>

/* The result of a shuffle that reads a lane outside the operation: undefined in CUDA, and a conspicuous value here. As
 * float or double it is not a number, which shows in what is made from it. */
#define CPU_WARP_UNDEFINED UINT64_C(0x7ffd1a5c7fd1a5c3)

/* An operation: arrays with what each lane asked for, as in cpu_wait, and its result. */
typedef struct warp_operation {
    cpu_wait_kind kind;
    const unsigned *argument; /* this and the width are a shuffle's */
    const int *width;
    const unsigned long long *value;
    unsigned long long *result;
} warp_operation;

/* Fills in the results of the lanes of which `members` has the bit, and reads nothing of others. */
void cpu_warp_complete(const warp_operation *operation, uint32_t members);

/* The lane from which a lane's shuffle reads. False if the operation is no shuffle, or the lane reads its own value. */
bool cpu_warp_source(unsigned *source, const cpu_wait *wait, unsigned lane);

#endif
