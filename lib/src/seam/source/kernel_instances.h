/*
 * Kernels that a name expression names, such as scale<float> or space::copy: instances of templates, and functions that
 * are not extern "C". In the text such a __global__ function becomes a __device__ function, which a kernel of its own
 * calls, extern "C" and with the same parameters. So every device finds it by a plain name.
 */
#ifndef LAB_SEAM_KERNEL_INSTANCES_H
#define LAB_SEAM_KERNEL_INSTANCES_H

#include "source_headers.h"

typedef struct kernel_instances {
    text_list expression, kernel; /* each expression, and the name of its kernel */
} kernel_instances;

/* Writes the source with a kernel for each expression; the list ends with NULL. LAB_ERROR_NOT_FOUND if the source
 * defines no kernel of such a name. The caller frees *out, and the instances. */
lab_status kernel_instances_write(char **out, kernel_instances *instances, const char *source, const char *name,
                                  const char *const *expressions);

/* The name of the expression's kernel; the name itself if it is none of the expressions. */
const char *kernel_instances_find(const kernel_instances *instances, const char *name);

void kernel_instances_free(kernel_instances *instances);

#endif
