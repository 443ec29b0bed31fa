/* Generated kernels, several one after another on a stream, compared with hand-written loops for the same number of
 * cores on the same memory (saxpy.c says why); and the cost of enqueueing one above that of an empty kernel. */
#include "bench.h"
#include "by_hand.h"
#include "base/status.h"

#include <stdlib.h>

enum { COUNT = 1 << 22, REPEATS = 10, LAUNCHES = 1000 };

typedef struct generated {
    lab_elementwise *kernel;
    lab_module *module;
    lab_function nothing;
    lab_array *x, *y, *z, *one;
    by_hand *team;
    float total;
} generated;

static float *data_of(const lab_array *array) { return (float *)(uintptr_t)lab_array_data(array); }

static lab_status elementwise(void *user)
{
    const generated *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_elementwise_launch(setup->kernel, NULL, LAB_ARGS(setup->x, setup->y, 0.5f, setup->z)));
    return lab_stream_synchronize(NULL);
}

static lab_status elementwise_by_hand(void *user)
{
    const generated *setup = user;
    for (int i = 0; i < REPEATS; i++)
        by_hand_squared_difference(setup->team, data_of(setup->z), data_of(setup->x), data_of(setup->y), 0.5f, COUNT);
    return LAB_SUCCESS;
}

static lab_status sum(void *user)
{
    const generated *setup = user;
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(setup->one, setup->x, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status sum_by_hand(void *user)
{
    generated *setup = user;
    for (int i = 0; i < REPEATS; i++) setup->total += by_hand_sum(setup->team, data_of(setup->x), COUNT);
    return LAB_SUCCESS;
}

/* Microseconds of enqueueing an elementwise kernel of one element, minus those of an empty kernel, for each round. */
static lab_status measure_enqueueing(bench_samples *above, const generated *setup)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        for (int i = 0; i < LAUNCHES; i++)
            LAB_TRY(lab_launch(setup->nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
        double bare = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(NULL));
        start = bench_now();
        for (int i = 0; i < LAUNCHES; i++)
            LAB_TRY(lab_elementwise_launch(setup->kernel, NULL, LAB_ARGS(setup->one, setup->one, 0.5f, setup->one)));
        double whole = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(NULL));
        if (round >= 0) bench_add_sample(above, 1e6 * (whole - bare) / LAUNCHES);
    }
    return LAB_SUCCESS;
}

static lab_status make_floats(lab_array **out)
{
    float *host = malloc(COUNT * sizeof *host);
    if (!host) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) host[i] = (float)(i % 1000);
    const lab_status status = lab_array_from_host(out, LAB_FLOAT32, LAB_SHAPE(COUNT), host);
    free(host);
    return status;
}

static lab_status prepare(generated *setup)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    setup->team = by_hand_start(info.multiprocessors);
    if (!setup->team) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no threads for the hand-written loops");
    LAB_TRY(make_floats(&setup->x));
    LAB_TRY(make_floats(&setup->y));
    LAB_TRY(lab_array_zeros(&setup->z, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_zeros(&setup->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_module_load_source(&setup->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&setup->nothing, setup->module, "nothing"));
    return lab_elementwise_create(&setup->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                  "squared_difference");
}

void bench_generated(void)
{
    generated setup = {0};
    bench_samples loop = {0}, reduction = {0}, above = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = bench_compare(&loop, elementwise_by_hand, elementwise, &setup);
    bench_add_row((bench_row){"elementwise 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.9}, &loop,
                  status);
    if (status == LAB_SUCCESS) status = bench_compare(&reduction, sum_by_hand, sum, &setup);
    bench_add_row((bench_row){"sum 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.9}, &reduction, status);
    if (status == LAB_SUCCESS) status = measure_enqueueing(&above, &setup);
    bench_add_row((bench_row){"elementwise, enqueueing above an empty launch", "us", BENCH_AT_MOST, 1}, &above, status);
    lab_elementwise_destroy(setup.kernel);
    lab_module_unload(setup.module);
    lab_array_destroy(setup.x);
    lab_array_destroy(setup.y);
    lab_array_destroy(setup.z);
    lab_array_destroy(setup.one);
    by_hand_stop(setup.team);
}
