/* Launches of kernels on the CPU devices. */
#ifndef LAB_CPU_RUN_CPU_LAUNCH_H
#define LAB_CPU_RUN_CPU_LAUNCH_H

#include "cpu/engine/operation.h"

/* A launch as an operation, to be enqueued or put into a graph. */
lab_status cpu_launch_create(cpu_op **out, backend_context *context, const backend_launch *launch);

/* Whether the launch is cooperative (backend_launch). */
bool cpu_launch_is_cooperative(const cpu_op *op);

/* Entry of the backend. */
lab_status cpu_launch_kernel(backend_stream *stream, const backend_launch *launch, backend_times *times);

#endif
