/*
 * Running blocks of a kernel in the way that suits it: as loops over their threads, region by region between barriers
 * (split_blocks.h), or with a stack for each thread (fiber.h). Independent of queues and streams.
 */
#ifndef LAB_CPU_KERNEL_KERNEL_RUN_H
#define LAB_CPU_KERNEL_KERNEL_RUN_H

#include "kernel_blocks.h"
#include "kernel_error.h"

/* False, with *error filled in, if a thread stopped the kernel or if threads wait for what can never come. */
bool cpu_kernel_run(kernel_error *error, const kernel_blocks *blocks);

#endif
