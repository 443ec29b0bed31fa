/*
 * Blocks of split kernels (kernel_abi.h): all threads run a region, then all run the next, with the barriers between
 * regions. Independent of how a kernel is split.
 */
#ifndef LAB_CPU_KERNEL_SPLIT_BLOCKS_H
#define LAB_CPU_KERNEL_SPLIT_BLOCKS_H

#include "kernel_blocks.h"
#include "kernel_error.h"

#include <stddef.h>

/* False, with *error filled in, if threads wait for what can never come, or memory runs out. launch->failed may leave
 * by longjmp. */
bool cpu_split_blocks_run(kernel_error *error, const kernel_blocks *blocks);

/* Whether an address lies in the local memory of the threads of the calling host thread's last block. */
bool cpu_split_blocks_hold(uintptr_t address);

/* Whether bytes lie in that of this thread alone. */
bool cpu_split_blocks_hold_for(unsigned thread, uintptr_t address, size_t bytes);

#endif
