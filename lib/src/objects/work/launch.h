/* Launches: what graphs need beyond lab.h. */
#ifndef LAB_OBJECTS_WORK_LAUNCH_H
#define LAB_OBJECTS_WORK_LAUNCH_H

#include "objects/contexts/context.h"

struct order_exec;

/* The executable graph whose node is updated. */
typedef struct launch_exec {
    uint64_t number;
    backend_exec *native;
    struct order_exec *order; /* as the order checker knows it, or NULL */
    struct context *context;
} launch_exec;

/* Checks the launch as lab_launch does, and makes it the launch of a kernel node. `settings` holds all but kernel and
 * arguments. */
lab_status launch_update_node(const launch_exec *exec, int node, const backend_launch *settings, lab_args args);

#endif
