/* Kernels by expressions: what becomes of a source. */
#include "seam/source/kernel_instances.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

/* A GPU's compiler takes a function for one kind only. */
Test(kernel_instances, the_declaration_of_a_kernel_is_changed_with_it)
{
    static const char source[] = "namespace space { __global__ void set(double *); }\n"
                                 "__global__ void space::set(double *out) { *out = 2.5; }\n"
                                 "__global__ void other(int *);\n";
    const char *const expressions[] = {"space::set", NULL};
    kernel_instances instances = {.kernel = {0}};
    char *text = NULL;
    cr_assert_eq(kernel_instances_write(&text, &instances, source, "test.cu", expressions), LAB_SUCCESS);
    cr_assert(strstr(text, "namespace space { __device__ void set(double *); }\n__device__ void space::set(") == text,
              "%s", text);
    cr_assert(strstr(text, "__global__ void other(int *);"), "%s", text);
    kernel_instances_free(&instances);
    free(text);
}
