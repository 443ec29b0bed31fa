/* Modules above the seam: the object behind a lab_function value. */
#ifndef LAB_SRC_MODULE_H
#define LAB_SRC_MODULE_H

#include "runtime.h"

struct function {
    const backend_kernel *kernel; /* borrowed from the module */
    struct context *context;
};

/* The kernel behind a value, or NULL if its module was unloaded or it never was one. */
const struct function *function_get(lab_function handle);

#endif
