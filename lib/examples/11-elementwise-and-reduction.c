/*
 * Kernels without a loop: elementwise, where every element is computed by itself, and reduction, where many elements
 * become one.
 *
 * The letter T stands for the type of a launch's arrays: the kernel is compiled for each combination of types on its
 * first use, and kept. A raw parameter is the whole array, which the body indexes itself.
 */
#include "lab.h"

#include <stdio.h>

enum { COUNT = 10 };

int main(void)
{
    lab_elementwise *squared_diff, *reverse;
    lab_reduction *norm;
    lab_array *x, *y, *z, *ix, *iy, *iz, *length;
    float numbers[COUNT], root;
    int integers[COUNT];

    LAB_CHECK(lab_elementwise_create(&squared_diff, "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff"));
    LAB_CHECK(lab_elementwise_create(&reverse, "raw T x", "T z", "z = x[n - 1 - i]", "reverse"));
    LAB_CHECK(lab_reduction_create(&norm, &(lab_reduction_source){.inputs = "T x",
                                                                  .outputs = "T y",
                                                                  .map = "x * x",
                                                                  .reduce = "a + b",
                                                                  .post_map = "y = sqrt(a)",
                                                                  .identity = "0",
                                                                  .name = "norm"}));
    LAB_CHECK(lab_array_arange(&x, LAB_FLOAT32, COUNT, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&y, LAB_FLOAT32, COUNT, LAB_ARG(0), LAB_ARG(0.5)));
    LAB_CHECK(lab_array_arange(&ix, LAB_INT32, COUNT, LAB_ARG(0), LAB_ARG(3)));
    LAB_CHECK(lab_array_arange(&iy, LAB_INT32, COUNT, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_empty(&z, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&iz, LAB_INT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_empty(&length, LAB_FLOAT32, LAB_SHAPE(1)));

    LAB_CHECK(lab_elementwise_launch(squared_diff, NULL, LAB_ARGS(x, y, z)));
    LAB_CHECK(lab_elementwise_launch(squared_diff, NULL, LAB_ARGS(ix, iy, iz)));
    LAB_CHECK(lab_array_get(z, numbers));
    LAB_CHECK(lab_array_get(iz, integers));
    for (int i = 0; i < COUNT; i++) printf("%g and %d, ", (double)numbers[i], integers[i]);

    LAB_CHECK(lab_elementwise_launch(reverse, NULL, LAB_ARGS(x, z)));
    LAB_CHECK(lab_array_get(z, numbers));
    printf("\nreversed:");
    for (int i = 0; i < COUNT; i++) printf(" %g", (double)numbers[i]);

    LAB_CHECK(lab_reduction_launch(norm, NULL, LAB_ARGS(x, length)));
    LAB_CHECK(lab_array_get_item(length, 0, &root));
    printf("\nlength of the vector 0, 1, ..., 9: %.4f\n", (double)root);

    lab_array *const made[] = {x, y, z, ix, iy, iz, length};
    for (int k = 0; k < 7; k++) LAB_CHECK(lab_array_destroy(made[k]));
    LAB_CHECK(lab_elementwise_destroy(squared_diff));
    LAB_CHECK(lab_elementwise_destroy(reverse));
    LAB_CHECK(lab_reduction_destroy(norm));
    return 0;
}
