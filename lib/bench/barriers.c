/* Kernels whose threads wait for each other: the cost of a barrier, two kernels that depend on barriers, and one that
 * depends on shuffles. */
#include "bench.h"
#include "kernels.h"
#include "base/status.h"

#include <stdlib.h>

enum { BARRIERS = 2000, REPEATS = 4 };

static const char SOURCE[] =
    BENCH_KERNELS_CUDA "extern \"C\" __global__ void wait(float *y, int times)\n"
                       "{\n"
                       "    int sum = threadIdx.x;\n"
                       "    for (int i = 0; i < times; i++) { __syncthreads(); sum += i ^ sum; }\n"
                       "    y[threadIdx.x] = sum;\n"
                       "}\n"
                       "extern \"C\" __global__ void warp_sum(const float *x, float *y)\n"
                       "{\n"
                       "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    float sum = x[i];\n"
                       "    for (int o = 16; o; o /= 2) sum += __shfl_down_sync(~0u, sum, o);\n"
                       "    if (threadIdx.x % 32 == 0) y[i / 32] = sum;\n"
                       "}\n";

typedef struct barriers {
    lab_module *module;
    lab_function wait, tree_sum, product, warp_sum;
    lab_array *x, *sums, *warp_sums, *a, *b, *c;
} barriers;

static lab_status wait_often(const barriers *setup)
{
    LAB_TRY(lab_launch(setup->wait, LAB_DIM(1), LAB_DIM(256), 0, NULL, LAB_ARGS(setup->sums, (int)BARRIERS)));
    return lab_stream_synchronize(NULL);
}

static lab_status sum_by_tree(const barriers *setup)
{
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->tree_sum, LAB_DIM(TREE_BLOCKS), LAB_DIM(TREE_THREADS), 0, NULL,
                           LAB_ARGS(setup->x, setup->sums, (int)TREE_COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status sum_by_warps(const barriers *setup)
{
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->warp_sum, LAB_DIM(TREE_COUNT / TREE_THREADS), LAB_DIM(TREE_THREADS), 0, NULL,
                           LAB_ARGS(setup->x, setup->warp_sums)));
    return lab_stream_synchronize(NULL);
}

static lab_status multiply(const barriers *setup)
{
    const unsigned tiles = PRODUCT_SIDE / PRODUCT_TILE;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->product, LAB_DIM(tiles, tiles), LAB_DIM(PRODUCT_TILE, PRODUCT_TILE), 0, NULL,
                           LAB_ARGS(setup->a, setup->b, setup->c, (int)PRODUCT_SIDE)));
    return lab_stream_synchronize(NULL);
}

/* Adds samples of the rate of `work`, which does `amount` units in one call, per second. */
static lab_status measure_rate(bench_samples *rate, lab_status (*work)(const barriers *setup), const barriers *setup,
                               double amount)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        LAB_TRY(work(setup));
        if (round >= 0) bench_add_sample(rate, amount / (bench_now() - start));
    }
    return LAB_SUCCESS;
}

static lab_status measure_wait(bench_samples *microseconds, const barriers *setup)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        LAB_TRY(wait_often(setup));
        if (round >= 0) bench_add_sample(microseconds, 1e6 * (bench_now() - start) / BARRIERS);
    }
    return LAB_SUCCESS;
}

static lab_status prepare(barriers *setup)
{
    LAB_TRY(lab_array_ones(&setup->x, LAB_FLOAT32, LAB_SHAPE(TREE_COUNT)));
    LAB_TRY(lab_array_zeros(&setup->sums, LAB_FLOAT32, LAB_SHAPE(TREE_BLOCKS)));
    LAB_TRY(lab_array_zeros(&setup->warp_sums, LAB_FLOAT32, LAB_SHAPE(TREE_COUNT / 32)));
    LAB_TRY(lab_array_ones(&setup->a, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_array_ones(&setup->b, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_array_zeros(&setup->c, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_module_load_source(&setup->module, SOURCE, "barriers.cu"));
    LAB_TRY(lab_module_get_function(&setup->wait, setup->module, "wait"));
    LAB_TRY(lab_module_get_function(&setup->tree_sum, setup->module, "tree_sum"));
    LAB_TRY(lab_module_get_function(&setup->warp_sum, setup->module, "warp_sum"));
    return lab_module_get_function(&setup->product, setup->module, "product");
}

void bench_barriers(void)
{
    barriers setup = {0};
    bench_samples waits = {0}, sums = {0}, warp_sums = {0}, products = {0};
    const double side = PRODUCT_SIDE;
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = measure_wait(&waits, &setup);
    bench_add_row((bench_row){"barrier in a block of 256 threads", "us", BENCH_AT_MOST, 5}, &waits, status);
    if (status == LAB_SUCCESS) status = measure_rate(&sums, sum_by_tree, &setup, 1e-9 * REPEATS * TREE_COUNT);
    bench_add_row((bench_row){"tree reduction 2^22, billions of floats a second", "", BENCH_NO_GOAL, 0}, &sums, status);
    if (status == LAB_SUCCESS) status = measure_rate(&warp_sums, sum_by_warps, &setup, 1e-9 * REPEATS * TREE_COUNT);
    bench_add_row((bench_row){"sums over warps 2^22, billions of floats a second", "", BENCH_NO_GOAL, 0}, &warp_sums,
                  status);
    if (status == LAB_SUCCESS) status = measure_rate(&products, multiply, &setup, 2e-9 * REPEATS * side * side * side);
    bench_add_row((bench_row){"product 512^2 in tiles of 16^2, GFLOP/s", "", BENCH_NO_GOAL, 0}, &products, status);
    lab_module_unload(setup.module);
    lab_array_destroy(setup.x);
    lab_array_destroy(setup.sums);
    lab_array_destroy(setup.warp_sums);
    lab_array_destroy(setup.a);
    lab_array_destroy(setup.b);
    lab_array_destroy(setup.c);
}
