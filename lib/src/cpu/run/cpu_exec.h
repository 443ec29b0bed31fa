/* Executable graphs of the CPU devices: entries of the backend. Their nodes are built once, and run as one operation
 * of a stream. */
#ifndef LAB_CPU_RUN_CPU_EXEC_H
#define LAB_CPU_RUN_CPU_EXEC_H

#include "seam/backend.h"

lab_status cpu_exec_create(backend_exec **out, const backend_graph *graph);
void cpu_exec_destroy(backend_exec *exec);
lab_status cpu_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times);
lab_status cpu_exec_update_kernel(backend_exec *exec, int node, const backend_launch *launch);

#endif
