/*
 * The benchmark helper: how long a call holds the host, and how long the device works, measured separately.
 *
 * It calls a function a few times without measuring, to exclude one-time costs, and then repeatedly with an event
 * before and after. The host time of a launch is the cost of enqueuing; its device time is the cost of the work. The
 * example measures two ways of making ones. The first works on the host, so its device time is spent waiting for the
 * host.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 100 * 100 * 200, REPEATS = 20 };

static lab_status ones_on_the_host(void *user)
{
    double *memory = user;
    for (int i = 0; i < COUNT; i++) memory[i] = 1;
    return LAB_SUCCESS;
}

static lab_status ones_on_the_device(void *user)
{
    lab_array *array;
    (void)user;
    LAB_TRY(lab_array_ones(&array, LAB_FLOAT64, LAB_SHAPE(100, 100, 200)));
    return lab_array_destroy(array);
}

static lab_status softplus(void *user)
{
    lab_array *const *arrays = user;
    static lab_expression *formula;
    if (!formula) LAB_TRY(lab_expression_create(&formula, "x", "maximum(0, x) + log1p(exp(-abs(x)))", "softplus"));
    return lab_expression_apply(formula, NULL, LAB_ARGS(arrays[0], arrays[1]));
}

static void measure(const char *name, lab_status (*function)(void *user), void *user)
{
    const lab_benchmark_options options = {.name = name, .warm_ups = 3, .repeats = REPEATS};
    lab_benchmark_result *result;
    LAB_CHECK(lab_benchmark(&result, function, user, &options));
    printf("%s: %d runs, host %.3f ms, device %.3f ms\n", name, result->runs, result->cpu.mean, result->device->mean);
    lab_benchmark_free(result);
}

int main(void)
{
    double *memory = malloc(COUNT * sizeof *memory);
    lab_array *array[2];
    if (!memory) return 1;
    LAB_CHECK(lab_array_random_uniform(&array[0], LAB_FLOAT64, LAB_SHAPE(100000), -1, 1, 7));
    LAB_CHECK(lab_array_empty(&array[1], LAB_FLOAT64, LAB_SHAPE(100000)));

    measure("ones on the host", ones_on_the_host, memory);
    measure("ones on the device", ones_on_the_device, NULL);
    measure("softplus on the device", softplus, array);

    LAB_CHECK(lab_array_destroy(array[0]));
    LAB_CHECK(lab_array_destroy(array[1]));
    free(memory);
    return 0;
}
