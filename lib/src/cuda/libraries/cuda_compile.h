/* From kernel source to compiled code for one GPU, with the facts about each kernel's parameters. Independent of how
 * code is loaded. */
#ifndef LAB_CUDA_LIBRARIES_CUDA_COMPILE_H
#define LAB_CUDA_LIBRARIES_CUDA_COMPILE_H

#include "nvrtc.h"
#include "seam/kernel_scan.h"

/* What the compiler knows about a parameter, in the layout of facts.cuh. */
typedef struct cuda_param_facts {
    int is_pointer, is_number;
    int element; /* a lab_dtype, or none; for a pointer, the type it points to */
    int pointer_to_const;
    unsigned size;
    char type[108];
} cuda_param_facts;

/* Compiles the scanned source, or finds the result in the cache (cache.h). *compile_ns: how long the compiler ran; 0 if
 * the cache had the result. */
lab_status cuda_compile(cuda_image *out, int64_t *compile_ns, const kernel_scan *scan, const char *name,
                        int architecture);

/* The kernel's parameters, inside the image: the first, and their number; false if the compiled code has no such
 * kernel. */
bool cuda_compiled_kernel(const cuda_param_facts **first, int *params, const cuda_image *image, const char *kernel);

#endif
