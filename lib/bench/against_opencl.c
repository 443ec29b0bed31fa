/* The same kernels in CUDA here and in OpenCL on the same cores, in turns. Their results are compared first. */
#include "bench.h"
#include "kernels.h"
#include "opencl.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = TREE_COUNT, SIDE = PRODUCT_SIDE, REPEATS = 4, SAXPY_BLOCK = 256 };

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
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->saxpy, LAB_DIM(COUNT / SAXPY_BLOCK), LAB_DIM(SAXPY_BLOCK), 0, NULL,
                           LAB_ARGS(setup->y, setup->x, 0.5f, (int)COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_saxpy(void *user)
{
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(setup->opencl, setup->their_saxpy, (size_t[]){COUNT, 1}, (size_t[]){SAXPY_BLOCK, 1}));
    return opencl_finish(setup->opencl);
}

static lab_status tree_sum(void *user)
{
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->tree_sum, LAB_DIM(TREE_BLOCKS), LAB_DIM(TREE_THREADS), 0, NULL,
                           LAB_ARGS(setup->x, setup->sums, (int)COUNT)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_tree_sum(void *user)
{
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(setup->opencl, setup->their_tree_sum, (size_t[]){TREE_BLOCKS * TREE_THREADS, 1},
                              (size_t[]){TREE_THREADS, 1}));
    return opencl_finish(setup->opencl);
}

static lab_status generated_sum(void *user)
{
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++) LAB_TRY(lab_array_sum(setup->one, setup->x, NULL));
    return lab_stream_synchronize(NULL);
}

static lab_status product(void *user)
{
    const against *setup = user;
    const unsigned tiles = SIDE / PRODUCT_TILE;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(lab_launch(setup->product, LAB_DIM(tiles, tiles), LAB_DIM(PRODUCT_TILE, PRODUCT_TILE), 0, NULL,
                           LAB_ARGS(setup->a, setup->b, setup->c, (int)SIDE)));
    return lab_stream_synchronize(NULL);
}

static lab_status their_product(void *user)
{
    const against *setup = user;
    for (int i = 0; i < REPEATS; i++)
        LAB_TRY(opencl_launch(setup->opencl, setup->their_product, (size_t[]){SIDE, SIDE},
                              (size_t[]){PRODUCT_TILE, PRODUCT_TILE}));
    return opencl_finish(setup->opencl);
}

/* ---- preparing ---- */

static lab_status make_both(lab_array **ours, opencl_buffer **theirs, opencl *device, const float *contents,
                            size_t count)
{
    LAB_TRY(lab_array_zeros(ours, LAB_FLOAT32, LAB_SHAPE(count)));
    if (contents) LAB_TRY(lab_array_set(*ours, contents));
    return opencl_buffer_create(theirs, device, contents, count);
}

static lab_status make_data(against *setup)
{
    float *contents = malloc(COUNT * sizeof *contents);
    if (!contents) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) contents[i] = (float)(i % 1000) * 0.001f;
    opencl *theirs = setup->opencl;
    lab_status status = make_both(&setup->x, &setup->their_x, theirs, contents, COUNT);
    if (status == LAB_SUCCESS) status = make_both(&setup->y, &setup->their_y, theirs, contents, COUNT);
    if (status == LAB_SUCCESS) status = make_both(&setup->sums, &setup->their_sums, theirs, NULL, TREE_BLOCKS);
    if (status == LAB_SUCCESS) status = make_both(&setup->a, &setup->their_a, theirs, contents, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = make_both(&setup->b, &setup->their_b, theirs, contents + 7, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = make_both(&setup->c, &setup->their_c, theirs, NULL, SIDE * SIDE);
    if (status == LAB_SUCCESS) status = lab_array_zeros(&setup->one, LAB_FLOAT32, LAB_SHAPE(1));
    free(contents);
    return status;
}

static lab_status make_kernels(against *setup)
{
    opencl *theirs = setup->opencl;
    const float a = 0.5f;
    const int count = COUNT, side = SIDE;
    LAB_TRY(lab_module_load_source(&setup->module, BENCH_KERNELS_CUDA, "against_opencl.cu"));
    LAB_TRY(lab_module_get_function(&setup->saxpy, setup->module, "saxpy"));
    LAB_TRY(lab_module_get_function(&setup->tree_sum, setup->module, "tree_sum"));
    LAB_TRY(lab_module_get_function(&setup->product, setup->module, "product"));
    LAB_TRY(opencl_build(&setup->their_saxpy, theirs, BENCH_KERNELS_OPENCL, "saxpy"));
    LAB_TRY(opencl_build(&setup->their_tree_sum, theirs, BENCH_KERNELS_OPENCL, "tree_sum"));
    LAB_TRY(opencl_build(&setup->their_product, theirs, BENCH_KERNELS_OPENCL, "product"));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_saxpy, 0, setup->their_y));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_saxpy, 1, setup->their_x));
    LAB_TRY(opencl_set_value(theirs, setup->their_saxpy, 2, &a, sizeof a));
    LAB_TRY(opencl_set_value(theirs, setup->their_saxpy, 3, &count, sizeof count));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_tree_sum, 0, setup->their_x));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_tree_sum, 1, setup->their_sums));
    LAB_TRY(opencl_set_value(theirs, setup->their_tree_sum, 2, &count, sizeof count));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_product, 0, setup->their_a));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_product, 1, setup->their_b));
    LAB_TRY(opencl_set_buffer(theirs, setup->their_product, 2, setup->their_c));
    return opencl_set_value(theirs, setup->their_product, 3, &side, sizeof side);
}

static lab_status check_equal(const char *what, opencl *device, lab_array *ours, opencl_buffer *theirs, size_t count)
{
    float *values = malloc(2 * count * sizeof *values);
    if (!values) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the results");
    lab_status status = lab_array_get(ours, values);
    if (status == LAB_SUCCESS) status = opencl_buffer_read(values + count, device, theirs, count);
    for (size_t i = 0; i < count && status == LAB_SUCCESS; i++)
        if (!(fabsf(values[i] - values[count + i]) <= 1e-4f * fabsf(values[i])))
            status = lab_fail(LAB_ERROR_UNKNOWN, "%s: element %zu is %g here and %g in OpenCL", what, i,
                              (double)values[i], (double)values[count + i]);
    free(values);
    return status;
}

static lab_status check_results(against *setup)
{
    LAB_TRY(saxpy(setup));
    LAB_TRY(their_saxpy(setup));
    LAB_TRY(check_equal("saxpy", setup->opencl, setup->y, setup->their_y, COUNT));
    LAB_TRY(tree_sum(setup));
    LAB_TRY(their_tree_sum(setup));
    LAB_TRY(check_equal("tree reduction", setup->opencl, setup->sums, setup->their_sums, TREE_BLOCKS));
    LAB_TRY(product(setup));
    LAB_TRY(their_product(setup));
    return check_equal("product", setup->opencl, setup->c, setup->their_c, SIDE * SIDE);
}

static void add_ratio(const char *name, double target, lab_status (*theirs)(void *), lab_status (*ours)(void *),
                      against *setup, lab_status status)
{
    bench_samples ratio = {0};
    if (status == LAB_SUCCESS) status = bench_compare(&ratio, theirs, ours, setup);
    bench_add_row((bench_row){name, "", BENCH_AT_LEAST, target}, &ratio, status);
}

void bench_against_opencl(void)
{
    against setup = {0};
    if (!opencl_open(&setup.opencl)) {
        bench_add_note("Not compared with OpenCL: this machine has none for its CPU; apt-get install "
                       "pocl-opencl-icd ocl-icd-libopencl1 installs PoCL.");
        return;
    }
    char note[512];
    snprintf(note, sizeof note, "OpenCL is %s.", opencl_name(setup.opencl));
    bench_add_note(note);
    lab_status status = make_data(&setup);
    if (status == LAB_SUCCESS) status = make_kernels(&setup);
    if (status == LAB_SUCCESS) status = check_results(&setup);
    add_ratio("saxpy 2^22: speed of OpenCL's", 1.0, their_saxpy, saxpy, &setup, status);
    add_ratio("generated sum 2^22: speed of OpenCL's tree", 1.0, their_tree_sum, generated_sum, &setup, status);
    add_ratio("tree reduction 2^22: speed of OpenCL's", 0.33, their_tree_sum, tree_sum, &setup, status);
    add_ratio("product 512^2 in tiles: speed of OpenCL's", 0.33, their_product, product, &setup, status);
    opencl_kernel_free(setup.opencl, setup.their_saxpy);
    opencl_kernel_free(setup.opencl, setup.their_tree_sum);
    opencl_kernel_free(setup.opencl, setup.their_product);
    opencl_buffer *const buffers[] = {setup.their_x, setup.their_y, setup.their_sums,
                                      setup.their_a, setup.their_b, setup.their_c};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) opencl_buffer_free(setup.opencl, buffers[i]);
    opencl_close(setup.opencl);
    lab_module_unload(setup.module);
    lab_array *const arrays[] = {setup.x, setup.y, setup.sums, setup.one, setup.a, setup.b, setup.c};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) lab_array_destroy(arrays[i]);
}
