/*
 * Fusion: a formula of several operations as one kernel, so that intermediate results never go to memory.
 *
 * Operation by operation, sin(x) + cos(y) / sqrt(z) would be five kernels and four intermediate arrays.
 * Types follow NumPy: functions of integers give float64, differences of integers stay integers.
 */
#include "lab.h"

#include <stdio.h>

/* Applies a formula to the inputs and creates the array for its result. */
static lab_array *compute(lab_expression *formula, size_t count, lab_args inputs)
{
    lab_array *result;
    lab_dtype dtype;
    lab_arg all[4];
    LAB_CHECK(lab_expression_dtype(&dtype, formula, inputs));
    LAB_CHECK(lab_array_empty(&result, dtype, LAB_SHAPE(count)));
    for (int i = 0; i < inputs.count; i++) all[i] = inputs.arg[i];
    all[inputs.count] = LAB_ARG(result);
    LAB_CHECK(lab_expression_apply(formula, NULL, (lab_args){all, inputs.count + 1}));
    printf("%s:", lab_dtype_name(dtype));
    return result;
}

int main(void)
{
    lab_expression *formula, *squared_diff;
    lab_array *x, *y, *z, *result;
    double numbers[10];
    long long integers[10];

    LAB_CHECK(lab_expression_create(&formula, "x, y, z", "sin(x) + cos(y) / sqrt(z)", "elementwise_computation"));
    LAB_CHECK(lab_expression_create(&squared_diff, "x, y", "(x - y) * (x - y)", "squared_diff"));
    LAB_CHECK(lab_array_arange(&x, LAB_INT64, 10, LAB_ARG(0), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&y, LAB_INT64, 10, LAB_ARG(10), LAB_ARG(1)));
    LAB_CHECK(lab_array_arange(&z, LAB_INT64, 10, LAB_ARG(20), LAB_ARG(2)));

    result = compute(formula, 10, LAB_ARGS(x, y, z));
    LAB_CHECK(lab_array_get(result, numbers));
    for (int i = 0; i < 10; i++) printf(" %.4f", numbers[i]);
    printf("\n");
    LAB_CHECK(lab_array_destroy(result));

    result = compute(squared_diff, 10, LAB_ARGS(y, z));
    LAB_CHECK(lab_array_get(result, integers));
    for (int i = 0; i < 10; i++) printf(" %lld", integers[i]);
    printf("\n");
    LAB_CHECK(lab_array_destroy(result));

    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    LAB_CHECK(lab_array_destroy(z));
    LAB_CHECK(lab_expression_destroy(formula));
    LAB_CHECK(lab_expression_destroy(squared_diff));
    return 0;
}
