/*
 * Kernels that stand still: some of their blocks have not begun, and for seconds none has. Perhaps the others wait for
 * one of those. A thread takes many blocks at a time, and a kernel that is checked is slow: what makes progress
 * (kernel_progress_made) does not stand still.
 * Independent of who runs blocks, and of the words. Everything here needs the engine's lock.
 */
#ifndef LAB_CPU_ENGINE_STANDSTILL_H
#define LAB_CPU_ENGINE_STANDSTILL_H

#include "operation.h"

#include <pthread.h>

enum { STANDSTILL_SECONDS = 2 };

/* Blocks of the operation begin, the first of which has that number; none of them runs any more. */
void cpu_standstill_note(cpu_op *op, uint64_t first);
void cpu_standstill_forget(const cpu_op *op);

/* For a host thread that waits for the device: sleeps until the condition is signalled, or less. Calls op->stands, once
 * for an operation, if the one that began last stands still. */
void cpu_standstill_sleep(pthread_cond_t *condition);

#endif
