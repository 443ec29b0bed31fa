/* Launches above the seam: what graphs need beyond lab.h. */
#ifndef LAB_SRC_LAUNCH_H
#define LAB_SRC_LAUNCH_H

#include "runtime.h"

/* Checks the launch as lab_launch does and makes it that of a kernel node. `wish` says all but kernel and arguments. */
lab_status launch_update_node(backend_exec *exec, int node, struct context *context, const backend_launch *wish,
                              lab_args args);

#endif
