/* Kernels whose threads wait for each other: what a barrier costs, and two kernels that live by it. */
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
                       "}\n";

typedef struct barriers {
    lab_module *module;
    lab_function wait, tree_sum, product;
    lab_array *x, *sums, *a, *b, *c;
} barriers;

static lab_status wait_often(const barriers *of)
{
    LAB_TRY(lab_launch(of->wait, LAB_DIM(1), LAB_DIM(256), 0, NULL, LAB_ARGS(of->sums, (int)BARRIERS)));
    return lab_stream_synchronize(NULL);
}

static lab_status sum_by_tree(const barriers *of)
{
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(of->tree_sum, LAB_DIM(TREE_BLOCKS), LAB_DIM(TREE_THREADS), 0, NULL,
                           LAB_ARGS(of->x, of->sums, (int)TREE_COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status multiply(const barriers *of)
{
    const unsigned tiles = PRODUCT_SIDE / PRODUCT_TILE;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(of->product, LAB_DIM(tiles, tiles), LAB_DIM(PRODUCT_TILE, PRODUCT_TILE), 0, NULL,
                           LAB_ARGS(of->a, of->b, of->c, (int)PRODUCT_SIDE)));
    return lab_stream_synchronize(NULL);
}

/* Adds what `work` does in a second, `amount` being what it does. */
static lab_status measure_rate(bench_samples *rate, lab_status (*work)(const barriers *of), const barriers *of,
                               double amount)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        LAB_TRY(work(of));
        if (round >= 0) bench_add_sample(rate, amount / (bench_now() - start));
    }
    return LAB_SUCCESS;
}

static lab_status measure_wait(bench_samples *microseconds, const barriers *of)
{
    for (int round = -BENCH_WARM_UPS; round < BENCH_ROUNDS; round++) {
        double start = bench_now();
        LAB_TRY(wait_often(of));
        if (round >= 0) bench_add_sample(microseconds, 1e6 * (bench_now() - start) / BARRIERS);
    }
    return LAB_SUCCESS;
}

static lab_status prepare(barriers *of)
{
    LAB_TRY(lab_array_ones(&of->x, LAB_FLOAT32, LAB_SHAPE(TREE_COUNT)));
    LAB_TRY(lab_array_zeros(&of->sums, LAB_FLOAT32, LAB_SHAPE(TREE_BLOCKS)));
    LAB_TRY(lab_array_ones(&of->a, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_array_ones(&of->b, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_array_zeros(&of->c, LAB_FLOAT32, LAB_SHAPE(PRODUCT_SIDE * PRODUCT_SIDE)));
    LAB_TRY(lab_module_load_source(&of->module, SOURCE, "barriers.cu"));
    LAB_TRY(lab_module_get_function(&of->wait, of->module, "wait"));
    LAB_TRY(lab_module_get_function(&of->tree_sum, of->module, "tree_sum"));
    return lab_module_get_function(&of->product, of->module, "product");
}

void bench_barriers(void)
{
    barriers of = {0};
    bench_samples waits = {0}, sums = {0}, products = {0};
    const double side = PRODUCT_SIDE;
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = measure_wait(&waits, &of);
    bench_add_row((bench_row){"barrier in a block of 256 threads", "us", BENCH_AT_MOST, 5}, &waits, status);
    if (status == LAB_SUCCESS) status = measure_rate(&sums, sum_by_tree, &of, 1e-9 * REPEATS * TREE_COUNT);
    bench_add_row((bench_row){"tree reduction 2^22, billions of floats a second", "", BENCH_NO_GOAL, 0}, &sums, status);
    if (status == LAB_SUCCESS) status = measure_rate(&products, multiply, &of, 2e-9 * REPEATS * side * side * side);
    bench_add_row((bench_row){"product 512^2 in tiles of 16^2, GFLOP/s", "", BENCH_NO_GOAL, 0}, &products, status);
    lab_module_unload(of.module);
    lab_array_destroy(of.x);
    lab_array_destroy(of.sums);
    lab_array_destroy(of.a);
    lab_array_destroy(of.b);
    lab_array_destroy(of.c);
}
