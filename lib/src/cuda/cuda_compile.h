/* From kernel source to compiled code for one GPU, with what is known of each kernel's parameters. Refuses to know how code
 * is loaded. */
#ifndef LAB_CUDA_CUDA_COMPILE_H
#define LAB_CUDA_CUDA_COMPILE_H

#include "nvrtc.h"
#include "seam/kernel_scan.h"

/* What the compiler found out about a parameter: as facts.cuh lays it out. */
typedef struct cuda_param_facts {
    int is_pointer, is_number;
    int element; /* a lab_dtype, or none: of a pointer, what it points to */
    int pointer_to_const;
    unsigned size;
    char type[108];
} cuda_param_facts;

/* Compiles what was scanned, or finds it compiled in the cache (cache.h). */
lab_status cuda_compile(cuda_image *out, const kernel_scan *scan, const char *name, int architecture);

/* The kernel's parameters, inside the image, in *params; false if the compiled code has no such kernel. */
bool cuda_compiled_kernel(const cuda_param_facts **first, int *params, const cuda_image *image, const char *kernel);

/* What compiled code calls a variable that C++ compilers know as `name`, inside it: static ones have no mark of their own. Those
 * in namespaces that are static, or in namespaces without a name, are called otherwise and not found. */
const char *cuda_variable_name(const char *name);

#endif
