/*
 * One function for host and device: softplus, log(1 + exp(x)), written so that a large x does not overflow.
 *
 * An expression computes where its arrays are: with host arrays at once, on the calling thread; with device arrays as
 * one enqueued kernel. Only rounding differs: the last digits of exp and log1p may not be the same on both.
 */
#include "lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 100000 };

/* x and y are both on the host or both on the device. */
static lab_status softplus(lab_expression *formula, lab_arg x, lab_arg y)
{
    return lab_expression_apply(formula, NULL, LAB_ARGS(x, y));
}

int main(void)
{
    lab_expression *formula;
    lab_array *x, *y;
    double *host_x = malloc(COUNT * sizeof *host_x), *on_host = malloc(COUNT * sizeof *on_host);
    double *on_device = malloc(COUNT * sizeof *on_device), largest = 0;
    if (!host_x || !on_host || !on_device) return 1;

    LAB_CHECK(lab_expression_create(&formula, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    LAB_CHECK(lab_array_random_uniform(&x, LAB_FLOAT64, LAB_SHAPE(COUNT), -800, 800, 7));
    LAB_CHECK(lab_array_empty(&y, LAB_FLOAT64, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_get(x, host_x));

    LAB_CHECK(softplus(formula, LAB_ARG(x), LAB_ARG(y)));
    LAB_CHECK(softplus(formula, LAB_HOST_ARRAY(host_x, LAB_FLOAT64, LAB_SHAPE(COUNT)),
                       LAB_HOST_ARRAY(on_host, LAB_FLOAT64, LAB_SHAPE(COUNT))));
    LAB_CHECK(lab_array_get(y, on_device));

    for (int i = 0; i < COUNT; i++) largest = fmax(largest, fabs(on_host[i] - on_device[i]));
    printf("host and device agree to 12 digits: %s\n", largest < 800 * 1e-12 ? "yes" : "no");
    printf("all finite: %s\n", isfinite(largest) ? "yes" : "no");

    LAB_CHECK(lab_expression_destroy(formula));
    LAB_CHECK(lab_array_destroy(x));
    LAB_CHECK(lab_array_destroy(y));
    free(host_x);
    free(on_host);
    free(on_device);
    return 0;
}
