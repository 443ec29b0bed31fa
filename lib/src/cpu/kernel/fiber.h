/*
 * Blocks whose threads wait for each other: each thread of the block runs on a stack of its own, all on the calling
 * host thread, one at a time. A thread that waits is left until what it waits for has come. Knows CUDA's rules for
 * barriers and warp operations.
 */
#ifndef LAB_CPU_KERNEL_FIBER_H
#define LAB_CPU_KERNEL_FIBER_H

#include "kernel_blocks.h"
#include "kernel_error.h"

/* False, with *error filled in, if a thread stopped the kernel, or if threads wait for what can never come. */
bool cpu_fiber_run(kernel_error *error, const kernel_blocks *blocks);

/* The thread of the block that runs now; `launch` is the one that it was given. */
unsigned cpu_fiber_thread(const cpu_launch *launch);

/* The end of the stack that holds the address, which is in use; 0 if none does. A thread may run on another's stack. */
uintptr_t cpu_fiber_stack_end(const cpu_launch *launch, uintptr_t address);

#endif
