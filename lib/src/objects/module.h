/* Modules above the seam: the object behind a lab_function value. */
#ifndef LAB_OBJECTS_MODULE_H
#define LAB_OBJECTS_MODULE_H

#include "context.h"

struct function {
    const backend_kernel *kernel; /* borrowed from the module */
    backend_module *module;
    struct context *context;
};

/* Compiles and loads on a given context; lab_module_load_source is this on the current one. */
lab_status module_load_on(lab_module **out, struct context *on, const char *source, const char *name);

/* The kernel behind a value, or NULL if its module was unloaded or it never was one. */
const struct function *function_get(lab_function handle);

#endif
