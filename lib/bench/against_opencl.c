/* The same kernels in CUDA here and in OpenCL on the same cores, by turns. What both compute is compared before. */
#include "bench.h"
#include "kernels.h"
#include "opencl.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = TREE_COUNT, SIDE = PRODUCT_SIDE, REPEATS = 4, SAXPY_BLOCK = 256 };

static const char SOURCE[] =
    BENCH_KERNELS_CUDA "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"
                       "{\n"
                       "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "    if (i < count) y[i] = a * x[i] + y[i];\n"
                       "}\n";

typedef struct against {
    lab_module *module;
    lab_function saxpy, tree_sum, product;
    lab_array *x, *y, *sums, *one, *a, *b, *c;

    opencl *opencl;
    opencl_kernel *their_saxpy, *their_tree_sum, *their_product;
    opencl_buffer *their_x, *their_y, *their_sums, *their_a, *their_b, *their_c;
} against;

/* ---- what is compared ---- */

static lab_status saxpy(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(of->saxpy, LAB_DIM(COUNT / SAXPY_BLOCK), LAB_DIM(SAXPY_BLOCK), 0, NULL,
                           LAB_ARGS(of->y, of->x, 0.5f, (int)COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_saxpy(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(of->opencl, of->their_saxpy, (size_t[]){COUNT, 1}, (size_t[]){SAXPY_BLOCK, 1}));
    return opencl_finish(of->opencl);
}

static lab_status tree_sum(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(of->tree_sum, LAB_DIM(TREE_BLOCKS), LAB_DIM(TREE_THREADS), 0, NULL,
                           LAB_ARGS(of->x, of->sums, (int)COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_tree_sum(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(of->opencl, of->their_tree_sum, (size_t[]){TREE_BLOCKS * TREE_THREADS, 1},
                              (size_t[]){TREE_THREADS, 1}));
    return opencl_finish(of->opencl);
}

static lab_status generated_sum(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(of->one, of->x, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status product(void *user)
{
    const against *of = user;
    const unsigned tiles = SIDE / PRODUCT_TILE;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(of->product, LAB_DIM(tiles, tiles), LAB_DIM(PRODUCT_TILE, PRODUCT_TILE), 0, NULL,
                           LAB_ARGS(of->a, of->b, of->c, (int)SIDE)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_product(void *user)
{
    const against *of = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(of->opencl, of->their_product, (size_t[]){SIDE, SIDE},
                              (size_t[]){PRODUCT_TILE, PRODUCT_TILE}));
    return opencl_finish(of->opencl);
}

/* ---- preparing ---- */

static lab_status make_both(lab_array **ours, opencl_buffer **theirs, opencl *of, const float *contents, size_t count)
{
    LAB_TRY(lab_array_zeros(ours, LAB_FLOAT32, LAB_SHAPE(count)));
    if (contents) LAB_TRY(lab_array_set(*ours, contents));
    return opencl_buffer_create(theirs, of, contents, count);
}

static lab_status make_data(against *of)
{
    float *contents = malloc(COUNT * sizeof *contents);
    if (!contents) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) contents[i] = (float)(i % 1000) * 0.001f;
    opencl *theirs = of->opencl;
    lab_status status = make_both(&of->x, &of->their_x, theirs, contents, COUNT);
    if (status == LAB_SUCCESS) status = make_both(&of->y, &of->their_y, theirs, contents, COUNT);
    if (status == LAB_SUCCESS) status = make_both(&of->sums, &of->their_sums, theirs, NULL, TREE_BLOCKS);
    if (status == LAB_SUCCESS) status = make_both(&of->a, &of->their_a, theirs, contents, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = make_both(&of->b, &of->their_b, theirs, contents + 7, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = make_both(&of->c, &of->their_c, theirs, NULL, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = lab_array_zeros(&of->one, LAB_FLOAT32, LAB_SHAPE(1));
    free(contents);
    return status;
}

static lab_status make_kernels(against *of)
{
    opencl *theirs = of->opencl;
    const float a = 0.5f;
    const int count = COUNT, side = SIDE;
    LAB_TRY(lab_module_load_source(&of->module, SOURCE, "against_opencl.cu"));
    LAB_TRY(lab_module_get_function(&of->saxpy, of->module, "saxpy"));
    LAB_TRY(lab_module_get_function(&of->tree_sum, of->module, "tree_sum"));
    LAB_TRY(lab_module_get_function(&of->product, of->module, "product"));
    LAB_TRY(opencl_build(&of->their_saxpy, theirs, BENCH_KERNELS_OPENCL, "saxpy"));
    LAB_TRY(opencl_build(&of->their_tree_sum, theirs, BENCH_KERNELS_OPENCL, "tree_sum"));
    LAB_TRY(opencl_build(&of->their_product, theirs, BENCH_KERNELS_OPENCL, "product"));
    LAB_TRY(opencl_set_buffer(theirs, of->their_saxpy, 0, of->their_y));
    LAB_TRY(opencl_set_buffer(theirs, of->their_saxpy, 1, of->their_x));
    LAB_TRY(opencl_set_value(theirs, of->their_saxpy, 2, &a, sizeof a));
    LAB_TRY(opencl_set_value(theirs, of->their_saxpy, 3, &count, sizeof count));
    LAB_TRY(opencl_set_buffer(theirs, of->their_tree_sum, 0, of->their_x));
    LAB_TRY(opencl_set_buffer(theirs, of->their_tree_sum, 1, of->their_sums));
    LAB_TRY(opencl_set_value(theirs, of->their_tree_sum, 2, &count, sizeof count));
    LAB_TRY(opencl_set_buffer(theirs, of->their_product, 0, of->their_a));
    LAB_TRY(opencl_set_buffer(theirs, of->their_product, 1, of->their_b));
    LAB_TRY(opencl_set_buffer(theirs, of->their_product, 2, of->their_c));
    return opencl_set_value(theirs, of->their_product, 3, &side, sizeof side);
}

static lab_status check_equal(const char *what, opencl *of, lab_array *ours, opencl_buffer *theirs, size_t count)
{
    float *values = malloc(2 * count * sizeof *values);
    if (!values) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the results");
    lab_status status = lab_array_get(ours, values);
    if (status == LAB_SUCCESS) status = opencl_buffer_read(values + count, of, theirs, count);
    for (size_t i = 0; i < count && status == LAB_SUCCESS; i++)
        if (!(fabsf(values[i] - values[count + i]) <= 1e-4f * fabsf(values[i])))
            status = lab_fail(LAB_ERROR_UNKNOWN, "%s: element %zu is %g here and %g in OpenCL", what, i,
                              (double)values[i], (double)values[count + i]);
    free(values);
    return status;
}

static lab_status check_results(against *of)
{
    LAB_TRY(saxpy(of));
    LAB_TRY(their_saxpy(of));
    LAB_TRY(check_equal("saxpy", of->opencl, of->y, of->their_y, COUNT));
    LAB_TRY(tree_sum(of));
    LAB_TRY(their_tree_sum(of));
    LAB_TRY(check_equal("tree reduction", of->opencl, of->sums, of->their_sums, TREE_BLOCKS));
    LAB_TRY(product(of));
    LAB_TRY(their_product(of));
    return check_equal("product", of->opencl, of->c, of->their_c, SIDE * SIDE);
}

static void add_ratio(const char *name, double target, lab_status (*theirs)(void *), lab_status (*ours)(void *),
                      against *of, lab_status status)
{
    bench_samples ratio = {0};
    if (status == LAB_SUCCESS) status = bench_compare(&ratio, theirs, ours, of);
    bench_add_row((bench_row){name, "", BENCH_AT_LEAST, target}, &ratio, status);
}

void bench_against_opencl(void)
{
    against of = {0};
    if (!opencl_open(&of.opencl)) {
        bench_add_note("Not compared with OpenCL: there is none for this machine's CPU; apt-get install "
                       "pocl-opencl-icd ocl-icd-libopencl1 brings PoCL.");
        return;
    }
    char note[512];
    snprintf(note, sizeof note, "OpenCL is %s.", opencl_name(of.opencl));
    bench_add_note(note);
    lab_status status = make_data(&of);
    if (status == LAB_SUCCESS) status = make_kernels(&of);
    if (status == LAB_SUCCESS) status = check_results(&of);
    add_ratio("saxpy 2^22: speed of OpenCL's", 1.0, their_saxpy, saxpy, &of, status);
    add_ratio("generated sum 2^22: speed of OpenCL's tree", 1.0, their_tree_sum, generated_sum, &of, status);
    add_ratio("tree reduction 2^22: speed of OpenCL's", 0.33, their_tree_sum, tree_sum, &of, status);
    add_ratio("product 512^2 in tiles: speed of OpenCL's", 0.33, their_product, product, &of, status);
    opencl_kernel_free(of.opencl, of.their_saxpy);
    opencl_kernel_free(of.opencl, of.their_tree_sum);
    opencl_kernel_free(of.opencl, of.their_product);
    opencl_buffer *const buffers[] = {of.their_x, of.their_y, of.their_sums, of.their_a, of.their_b, of.their_c};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) opencl_buffer_free(of.opencl, buffers[i]);
    opencl_close(of.opencl);
    lab_module_unload(of.module);
    lab_array *const arrays[] = {of.x, of.y, of.sums, of.one, of.a, of.b, of.c};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lab_array_destroy(arrays[i]);
}
