/*
 * The failure of the process: what stopped a kernel. It is for good: from then on operations end without being run, and
 * nothing more is enqueued.
 */
#ifndef LAB_CPU_ENGINE_PROCESS_FAILURE_H
#define LAB_CPU_ENGINE_PROCESS_FAILURE_H

#include "base/status.h"

#include <stdatomic.h>

/* The failure as a lab_status; 0 if there is none. For cpu_op.cancelled, and for reading. */
extern atomic_int cpu_process_failure;

/* Notes a failure, unless there is one already. Takes the engine's lock. */
void cpu_process_fail(lab_status status, const char *message);

/* Sets the failure as the calling thread's error and returns it; success if there is none. */
lab_status cpu_process_check(void);

#endif
