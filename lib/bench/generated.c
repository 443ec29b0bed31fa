/* Generated kernels, several one after another on a stream, beside loops written by hand for the same number of cores and
 * on the same memory (saxpy.c says why); and what enqueueing one costs above enqueueing an empty kernel. */
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
    const generated *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_elementwise_launch(of->kernel, NULL, LAB_ARGS(of->x, of->y, 0.5f, of->z)));
    return lab_stream_synchronize(NULL);
}

static lab_status elementwise_by_hand(void *user)
{
    const generated *of = user;
    for (int i = 0; i < REPEATS; i++)
        by_hand_squared_difference(of->team, data_of(of->z), data_of(of->x), data_of(of->y), 0.5f, COUNT);
    return LAB_SUCCESS;
}

static lab_status sum(void *user)
{
    const generated *of = user;
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(of->one, of->x, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status sum_by_hand(void *user)
{
    generated *of = user;
    for (int i = 0; i < REPEATS; i++) of->total += by_hand_sum(of->team, data_of(of->x), COUNT);
    return LAB_SUCCESS;
}

/* Microseconds of enqueueing an elementwise kernel of one element, less those of an empty kernel, round by round. */
static lab_status measure_enqueueing(bench_samples *above, const generated *of)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        for (int i = 0; i < LAUNCHES; i++)
            LAB_TRY(lab_launch(of->nothing, LAB_DIM(1), LAB_DIM(1), 0, NULL, LAB_NO_ARGS));
        double bare = bench_now() - start;
        LAB_TRY(lab_stream_synchronize(NULL));
        start = bench_now();
        for (int i = 0; i < LAUNCHES; i++)
            LAB_TRY(lab_elementwise_launch(of->kernel, NULL, LAB_ARGS(of->one, of->one, 0.5f, of->one)));
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

static lab_status prepare(generated *of)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, 0));
    of->team = by_hand_start(info.multiprocessors);
    if (!of->team) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no threads for the loops written by hand");
    LAB_TRY(make_floats(&of->x));
    LAB_TRY(make_floats(&of->y));
    LAB_TRY(lab_array_zeros(&of->z, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_zeros(&of->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_module_load_source(&of->module, "extern \"C\" __global__ void nothing() {}\n", "nothing.cu"));
    LAB_TRY(lab_module_get_function(&of->nothing, of->module, "nothing"));
    return lab_elementwise_create(&of->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                  "squared_difference");
}

void bench_generated(void)
{
    generated of = {0};
    bench_samples loop = {0}, reduction = {0}, above = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = bench_compare(&loop, elementwise_by_hand, elementwise, &of);
    bench_add_row((bench_row){"elementwise 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.9}, &loop,
                  status);
    if (status == LAB_SUCCESS) status = bench_compare(&reduction, sum_by_hand, sum, &of);
    bench_add_row((bench_row){"sum 2^22: speed of a hand-written loop's", "", BENCH_AT_LEAST, 0.9}, &reduction, status);
    if (status == LAB_SUCCESS) status = measure_enqueueing(&above, &of);
    bench_add_row((bench_row){"elementwise, enqueueing above an empty launch", "us", BENCH_AT_MOST, 1}, &above, status);
    lab_elementwise_destroy(of.kernel);
    lab_module_unload(of.module);
    lab_array_destroy(of.x);
    lab_array_destroy(of.y);
    lab_array_destroy(of.z);
    lab_array_destroy(of.one);
    by_hand_stop(of.team);
}
