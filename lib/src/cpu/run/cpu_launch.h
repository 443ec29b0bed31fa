/* Launches of kernels on the CPU devices. */
#ifndef LAB_CPU_RUN_CPU_LAUNCH_H
#define LAB_CPU_RUN_CPU_LAUNCH_H

#include "cpu/engine/operation.h"

/* A launch as an operation, to be enqueued or put into a graph. */
lab_status cpu_launch_create(cpu_op **out, backend_context *context, const backend_launch *launch);

/* Whether the launch is cooperative (backend_launch). */
bool cpu_launch_is_cooperative(const cpu_op *op);

/* With the engine's lock: fails if the operation is a launch whose module another thread unloads. A launch that is
 * enqueued before the lock is released is done before the module is unloaded. */
lab_status cpu_launch_check_loaded(const cpu_op *op);

/* Entry of the backend. */
lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times);

#endif
