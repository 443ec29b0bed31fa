/* Modules: the object behind a lab_function value, and loading into a given context. */
#ifndef LAB_OBJECTS_WORK_MODULE_H
#define LAB_OBJECTS_WORK_MODULE_H

#include "objects/contexts/context.h"

struct function {
    const backend_kernel *kernel; /* borrowed from the module */
    backend_module *module;
    struct context *context;
    const char *source; /* lab_trace_op.module; borrowed from the module */
};

/* Compiles and loads in a given context. lab_module_load_source loads in the current one. `own`: the source has no text
 * of the program's. */
lab_status module_load_on(lab_module **out, struct context *context, const char *source, const char *name, bool own);

/* The kernel behind a value; NULL if its module was unloaded, or the value was never valid. */
const struct function *function_get(lab_function handle);

#endif
