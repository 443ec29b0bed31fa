/* Modules: the object behind a lab_function value, and loading into a given context. */
#ifndef LAB_OBJECTS_WORK_MODULE_H
#define LAB_OBJECTS_WORK_MODULE_H

#include "objects/contexts/context.h"

struct function {
    const backend_kernel *kernel; /* borrowed from the module */
    backend_module *module;
    struct context *context;
    const char *source; /* lab_trace_op.module; borrowed from the module */
    bool is_generated;  /* by the library, whose code does not report each access to a check */
};

typedef enum module_origin {
    MODULE_OF_PROGRAM, /* the program's source */
    MODULE_GENERATED,  /* the library's source, with text of the program's in it */
    MODULE_OWN,        /* the library's source alone */
} module_origin;

/* Compiles and loads in a given context. lab_module_load_source loads in the current one. */
lab_status module_load_on(lab_module **out, struct context *context, const char *source, const char *name,
                          module_origin origin);

/* The kernel behind a value; NULL if its module was unloaded, or the value was never valid. */
const struct function *function_get(lab_function handle);

#endif
