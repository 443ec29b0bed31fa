/*
 * A raw kernel: you write all of it, and it is compiled at run time from the text below.
 *
 * Thread t of all T begins at element t and continues in steps of T, so any grid works for any length. The arguments
 * must have the types that the kernel declares: a number of another size is refused, and nothing is converted.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 18 };

static const char source[] =
    "extern \"C\" __global__ void elementwise_square(const float *x, float *y, unsigned size)\n"
    "{\n"
    "    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;\n"
    "    for (unsigned i = thread; i < size; i += threads) y[i] = x[i] * x[i];\n"
    "}\n";

int main(void)
{
    lab_module *module;
    lab_function square;
    lab_array *x, *y;
    int wrong = 0;
    float *result = malloc(COUNT * sizeof *result);
    if (!result) return 1;

    LAB_CHECK(lab_module_load_source(&module, source, "square.cu"));
    LAB_CHECK(lab_module_get_function(&square, module, "elementwise_square"));
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT32, COUNT, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_zeros(&y, LAB_FLOAT32, LAB_SHAPE(COUNT)));

    LAB_CHECK(lab_launch(square, LAB_DIM(128), LAB_DIM(1024), 0, NULL, LAB_ARGS(x, y, (unsigned)COUNT)));
    LAB_CHECK(lab_array_get(y, result));
    for (int i = 0; i < COUNT; i++) wrong += result[i] != (float)i * (float)i;
    printf("wrong squares: %d\n", wrong);

    lab_status status = lab_launch(square, LAB_DIM(128), LAB_DIM(1024), 0, NULL, LAB_ARGS(x, y, 2.0));
    printf("a double for the size: %s\n", lab_status_name(status));

    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_module_unload(module));
    free(result);
    return wrong > 0;
}
