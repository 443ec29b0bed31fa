/* Ready-made kernels over 2^28 floats, beside a copy from one place of the device's memory to another: bytes read and
 * written a second. */
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
    const large *of = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_elementwise_launch(of->kernel, NULL, LAB_ARGS(of->x, of->y, 0.5f, of->z)));
    LAB_TRY(lab_stream_synchronize(NULL));
    *rate = 3 * REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status sum(double *rate, void *user)
{
    const large *of = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(of->one, of->x, NULL));
    LAB_TRY(lab_stream_synchronize(NULL));
    *rate = REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status copy(double *rate, void *user)
{
    const large *of = user;
    double start = bench_now();
    for (int i = 0; i < REPEATS; i++)
        RAW_TRY(cuda.cuMemcpyDtoDAsync, lab_array_data(of->z), lab_array_data(of->x), COUNT * sizeof(float),
                of->stream);
    RAW_TRY(cuda.cuStreamSynchronize, of->stream);
    *rate = 2 * REPEATS * GIGABYTES / (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status prepare(large *of)
{
    LAB_TRY(lab_array_random_uniform(&of->x, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 1));
    LAB_TRY(lab_array_random_uniform(&of->y, LAB_FLOAT32, LAB_SHAPE(COUNT), 0, 1, 2));
    LAB_TRY(lab_array_zeros(&of->z, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_zeros(&of->one, LAB_FLOAT32, LAB_SHAPE(1)));
    LAB_TRY(lab_elementwise_create(&of->kernel, "T x, T y, float32 a", "T z", "z = (x - y) * (x - y) + a",
                                   "squared_difference"));
    LAB_TRY(lab_stream_synchronize(NULL));
    RAW_TRY(cuda.cuStreamCreateWithPriority, &of->stream, CU_STREAM_NON_BLOCKING, 0);
    return LAB_SUCCESS;
}

void bench_cuda_bandwidth(void)
{
    large of = {0};
    raw_comparison loop = {0}, reduction = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = raw_compare(&loop, elementwise, copy, 1, &of);
    if (status == LAB_SUCCESS) status = raw_compare(&reduction, sum, copy, 1, &of);
    bench_add_row((bench_row){"copy on the device, 1 GiB", "GB/s", BENCH_NO_GOAL, 0}, &reduction.raw, status);
    bench_add_row((bench_row){"elementwise 2^28", "GB/s", BENCH_NO_GOAL, 0}, &loop.ours, status);
    cupy_add_row("  CuPy", "GB/s", "large elementwise");
    bench_add_row((bench_row){"  over the copy", "", BENCH_AT_LEAST, 0.9}, &loop.ratio, status);
    bench_add_row((bench_row){"sum 2^28", "GB/s", BENCH_NO_GOAL, 0}, &reduction.ours, status);
    cupy_add_row("  CuPy", "GB/s", "large reduction");
    bench_add_row((bench_row){"  over the copy", "", BENCH_AT_LEAST, 0.9}, &reduction.ratio, status);
    lab_elementwise_destroy(of.kernel);
    lab_array_destroy(of.x);
    lab_array_destroy(of.y);
    lab_array_destroy(of.z);
    lab_array_destroy(of.one);
    if (of.stream) cuda.cuStreamDestroy(of.stream);
}
