/* The library's kernels over 2^28 floats, compared with a copy within the device's memory: bytes read and written per
 * second. */
#include "cuda_raw.h"

enum { REPEATS = 5 };
#define COUNT ((size_t)1 << 28)
#define GIGABYTES (1e-9 * (double)(COUNT * sizeof(float)))

typedef struct large {
    lab_array *x, *y, *z, *one;
    lab_elementwise *kernel;
    CUstream stream;
} large;

static lab_status elementwise(double *rate, void *user)
{
    const large *setup = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_elementwise_launch(setup->kernel, NULL, LAB_ARGS(setup->x, setup->y, 0.5f, setup->z)));
    LAB_TRY(lab_stream_synchronize(NULL));
    *rate = 3 * REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status sum(double *rate, void *user)
{
    const large *setup = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(setup->one, setup->x, NULL));
    LAB_TRY(lab_stream_synchronize(NULL));
    *rate = REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status copy(double *rate, void *user)
{
    const large *setup = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++)
        RAW_TRY(cuda.cuMemcpyDtoDAsync, lab_array_data(setup->z), lab_array_data(setup->x), COUNT * sizeof(float),
                setup->stream);
    RAW_TRY(cuda.cuStreamSynchronize, setup->stream);
    *rate = 2 * REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status prepare(large *setup)
{
    LAB_TRY(lab_array_random_uniform(&setup->x, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 1));
    LAB_TRY(lab_array_random_uniform(&setup->y, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 2));
    LAB_TRY(lab_array_zeros(&setup->z, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_zeros(&setup->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_elementwise_create(&setup->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                   "squared_difference"));
    LAB_TRY(lab_stream_synchronize(NULL));
    RAW_TRY(cuda.cuStreamCreateWithPriority, &setup->stream, CU_STREAM_NON_BLOCKING, 0);
    return LAB_SUCCESS;
}

void bench_cuda_bandwidth(void)
{
    large setup = {0};
    raw_comparison loop = {0}, reduction = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = raw_compare(&loop, elementwise, copy, 1, &setup);
    if (status == LAB_SUCCESS) status = raw_compare(&reduction, sum, copy, 1, &setup);
    bench_add_row((bench_row){"copy on the device, 1 GiB", "GB/s", BENCH_NO_GOAL, 0}, &reduction.raw, status);
    bench_add_row((bench_row){"elementwise 2^28", "GB/s", BENCH_NO_GOAL, 0}, &loop.ours, status);
    cupy_add_row("  CuPy", "GB/s", "large elementwise");
    bench_add_row((bench_row){"  over the copy", "", BENCH_AT_LEAST, 0.9}, &loop.ratio, status);
    bench_add_row((bench_row){"sum 2^28", "GB/s", BENCH_NO_GOAL, 0}, &reduction.ours, status);
    cupy_add_row("  CuPy", "GB/s", "large reduction");
    bench_add_row((bench_row){"  over the copy", "", BENCH_AT_LEAST, 0.9}, &reduction.ratio, status);
    lab_elementwise_destroy(setup.kernel);
    lab_array_destroy(setup.x);
    lab_array_destroy(setup.y);
    lab_array_destroy(setup.z);
    lab_array_destroy(setup.one);
    if (setup.stream) cuda.cuStreamDestroy(setup.stream);
}
