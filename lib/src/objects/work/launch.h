/* Launches: what graphs need beyond lab.h. */
#ifndef LAB_OBJECTS_WORK_LAUNCH_H
#define LAB_OBJECTS_WORK_LAUNCH_H

#include "objects/contexts/context.h"

struct order_exec;

/* Checks the launch as lab_launch does, and makes it the launch of a kernel node. `settings` holds all but kernel and
 * arguments. `order` is the graph as the order checker knows it, or NULL. */
lab_status launch_update_node(backend_exec *exec, struct order_exec *order, int node, struct context *context,
                              const backend_launch *settings, lab_args args);

#endif
