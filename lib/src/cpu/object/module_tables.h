/* What a compiled object says of itself: its kernels, their parameters and what they use, its variables. */
#ifndef LAB_CPU_OBJECT_MODULE_TABLES_H
#define LAB_CPU_OBJECT_MODULE_TABLES_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"
#include "lab.h"
#include "object_image.h"

typedef struct cpu_module {
    int kernels; /* the `extern "C" __global__` functions, in the order of the source */
    const cpu_kernel *kernel;
    const cpu_variable *variable; /* in the order of cpu_kernel.variable_access; zeros at its end */
    const char *variable_names;   /* in the same order, each with a zero byte at its end */
} cpu_module;

/* The address of what a loaded object exports; NULL if it has nothing of that name. */
typedef void *(*module_symbol)(void *object, const char *name);

/* Fills in the module from the tables of a loaded object, to which it then points. `code` is where its code lies. The
 * caller frees module->kernel. */
lab_status module_tables_read(cpu_module *module, module_symbol find, void *object, const char *name);

/* Whether the tables of an image that is followed by a zero byte can be read: what they point to lies in the image,
 * and they are about `kernels` functions. Returns what is wrong, or NULL. */
const char *module_tables_check(const object_image *image, int kernels);

/* The arguments of a launch are passed on one after another, each with an alignment that suits every type. */
enum { MODULE_ARGUMENT_ALIGNMENT = 16, MODULE_MOST_ARGUMENT_BYTES = 64 * 1024 };
static inline size_t module_argument_bytes(const cpu_param *param)
{
    return ((size_t)param->size + MODULE_ARGUMENT_ALIGNMENT - 1) / MODULE_ARGUMENT_ALIGNMENT *
           MODULE_ARGUMENT_ALIGNMENT;
}

#endif
