/*
 * Kernels compared with a plain C loop of one thread that computes the same, in processor time; and with the same
 * kernel in OpenCL, if the machine has it. One table lists the kernels, their sizes and goals. The results of all are
 * compared first.
 */
#include "bench.h"
#include "loops.h"
#include "opencl.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 21, ONE_MILLION = 1 << 20 };

/* A kernel of loops.cu. */
typedef struct subject {
    const char *name, *kernel;
    double goal; /* at most so many times the loop's time */
    bench_loop *loop;
    int n, rows;
    unsigned grid[2], block[2];
    bool warps; /* uses warp functions */
} subject;

#define TIMES ": times a plain loop's"

static const subject subjects[] = {
    {"warp sum 2^20" TIMES, "warp_sum", 4, loop_warp_sum, ONE_MILLION, 1, {ONE_MILLION / 256, 1}, {256, 1}, true},
    {"warp scan 2^20" TIMES, "warp_scan", 4, loop_warp_scan, ONE_MILLION, 1, {ONE_MILLION / 256, 1}, {256, 1}, true},
    {"block sum 2^20" TIMES, "block_sum", 4, loop_block_sum, ONE_MILLION, 1, {ONE_MILLION / 256, 1}, {256, 1}, true},
    {"tree sum 2^20" TIMES, "tree_sum", 6, loop_block_sum, ONE_MILLION, 1, {ONE_MILLION / 256, 1}, {256, 1}, false},
    {"product 384^2 in tiles" TIMES, "product", 3, loop_product, 384, 384, {24, 24}, {16, 16}, false},
    {"softmax 1024 x 1000" TIMES, "softmax", 4, loop_softmax, 1000, 1024, {1024, 1}, {256, 1}, false},
    {"layernorm 2048 x 768" TIMES, "layernorm", 4, loop_layernorm, 768, 2048, {256, 1}, {256, 1}, true},
    {"attention 8 x 256 x 64" TIMES, "attention", 4, loop_attention, 256, 8, {4, 8}, {64, 1}, false},
    {"conv2D 1024 x 512, 5 x 5" TIMES, "conv2d", 3, loop_conv2d, 1024, 512, {64, 32}, {16, 16}, false},
    {"laplace3d 128^3" TIMES, "laplace3d", 3, loop_laplace3d, 128, 128, {4, 16}, {32, 8}, false},
    {"blur3d 128^3, 27 neighbours" TIMES, "blur3d", 3, loop_blur3d, 128, 128, {4, 2048}, {32, 8}, false},
    {"transpose 1024^2" TIMES, "transpose", 3, loop_transpose, 1024, 1024, {32, 32}, {32, 8}, false},
    {"saxpy 2^20, grid-stride" TIMES, "saxpy", 3, loop_saxpy, ONE_MILLION, 1, {64, 1}, {256, 1}, false},
};

/* The assembler includes the file; its path is relative to the folder in which make runs. */
__asm__(".pushsection .rodata\n.globl loops_text\nloops_text:\n.incbin \"lib/bench/loops.cu\"\n.byte 0\n.popsection\n");

typedef struct against_loops {
    lab_module *module;
    lab_array *a, *b;
    opencl *opencl; /* NULL if there is none */
    opencl_buffer *their_a, *their_b;

    const subject *subject; /* the one that is measured, and what is its own */
    lab_function function;
    opencl_kernel *their_kernel;
    lab_array *out, *of_loop;
    opencl_buffer *their_out;
} against_loops;

/* ---- what is compared ---- */

static lab_status run_kernel(void *user)
{
    const against_loops *setup = user;
    const subject *s = setup->subject;
    LAB_TRY(lab_launch(setup->function, LAB_DIM(s->grid[0], s->grid[1]), LAB_DIM(s->block[0], s->block[1]), 0, NULL,
                       LAB_ARGS(setup->out, setup->a, setup->b, s->n, s->rows)));
    return lab_stream_synchronize(NULL);
}

static float *data_of(const lab_array *array) { return (float *)(uintptr_t)lab_array_data(array); }

static lab_status run_loop(void *user)
{
    const against_loops *setup = user;
    const subject *s = setup->subject;
    s->loop(data_of(setup->of_loop), data_of(setup->a), data_of(setup->b), s->n, s->rows);
    return LAB_SUCCESS;
}

static lab_status run_opencl(void *user)
{
    const against_loops *setup = user;
    const subject *s = setup->subject;
    LAB_TRY(opencl_launch(setup->opencl, setup->their_kernel,
                          (size_t[]){(size_t)s->grid[0] * s->block[0], (size_t)s->grid[1] * s->block[1]},
                          (size_t[]){s->block[0], s->block[1]}));
    return opencl_finish(setup->opencl);
}

/* ---- preparing ---- */

static lab_status make_inputs(against_loops *setup)
{
    float *contents = malloc(COUNT * sizeof *contents);
    if (!contents) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the data");
    for (int i = 0; i < COUNT; i++) contents[i] = (float)(i * 7LL % 1000) * 0.001f;
    lab_status status = lab_array_zeros(&setup->a, LAB_FLOAT32, LAB_SHAPE(COUNT));
    if (status == LAB_SUCCESS) status = lab_array_zeros(&setup->b, LAB_FLOAT32, LAB_SHAPE(COUNT));
    if (status == LAB_SUCCESS) status = lab_array_set(setup->a, contents);
    if (status == LAB_SUCCESS) status = lab_array_set(setup->b, contents);
    opencl *device = setup->opencl;
    if (status == LAB_SUCCESS && device) status = opencl_buffer_create(&setup->their_a, device, contents, COUNT);
    if (status == LAB_SUCCESS && device) status = opencl_buffer_create(&setup->their_b, device, contents, COUNT);
    free(contents);
    return status;
}

static lab_status make_kernel(against_loops *setup)
{
    LAB_TRY(lab_module_get_function(&setup->function, setup->module, setup->subject->kernel));
    LAB_TRY(lab_array_zeros(&setup->out, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_TRY(lab_array_zeros(&setup->of_loop, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    return lab_device_synchronize();
}

static lab_status make_their_kernel(against_loops *setup)
{
    opencl *device = setup->opencl;
    const subject *s = setup->subject;
    if (!device) return lab_fail(LAB_ERROR_NOT_SUPPORTED, "this machine has no OpenCL for its CPU");
    if (s->warps) return lab_fail(LAB_ERROR_NOT_SUPPORTED, "OpenCL has no warp functions");
    LAB_TRY(opencl_buffer_create(&setup->their_out, device, NULL, COUNT));
    LAB_TRY(opencl_build(&setup->their_kernel, device, loops_text, s->kernel));
    LAB_TRY(opencl_set_buffer(device, setup->their_kernel, 0, setup->their_out));
    LAB_TRY(opencl_set_buffer(device, setup->their_kernel, 1, setup->their_a));
    LAB_TRY(opencl_set_buffer(device, setup->their_kernel, 2, setup->their_b));
    LAB_TRY(opencl_set_value(device, setup->their_kernel, 3, &s->n, sizeof s->n));
    return opencl_set_value(device, setup->their_kernel, 4, &s->rows, sizeof s->rows);
}

static lab_status check_equal(const char *where, const float *one, const float *other)
{
    for (int i = 0; i < COUNT; i++)
        if (!(fabsf(one[i] - other[i]) <= 1e-4f * (1 + fabsf(one[i]))))
            return lab_fail(LAB_ERROR_UNKNOWN, "element %d is %g here and %g %s", i, (double)one[i], (double)other[i],
                            where);
    return LAB_SUCCESS;
}

static lab_status check_against_loop(against_loops *setup)
{
    LAB_TRY(run_kernel(setup));
    LAB_TRY(run_loop(setup));
    return check_equal("in the loop", data_of(setup->out), data_of(setup->of_loop));
}

static lab_status check_against_opencl(against_loops *setup)
{
    LAB_TRY(run_opencl(setup));
    float *theirs = malloc(COUNT * sizeof *theirs);
    if (!theirs) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for the results");
    lab_status status = opencl_buffer_read(theirs, setup->opencl, setup->their_out, COUNT);
    if (status == LAB_SUCCESS) status = check_equal("in OpenCL", data_of(setup->out), theirs);
    free(theirs);
    return status;
}

/* ---- the rows ---- */

static lab_status compare_with_loop(against_loops *setup, lab_status status)
{
    bench_samples ratio = {0};
    if (status == LAB_SUCCESS) status = make_kernel(setup);
    if (status == LAB_SUCCESS) status = check_against_loop(setup);
    if (status == LAB_SUCCESS) status = bench_compare_processor_time(&ratio, run_kernel, run_loop, setup);
    bench_add_row((bench_row){setup->subject->name, "", BENCH_AT_MOST, setup->subject->goal}, &ratio, status);
    return status;
}

static void compare_with_opencl(against_loops *setup, lab_status status)
{
    bench_samples ratio = {0};
    if (status == LAB_SUCCESS) status = make_their_kernel(setup);
    if (status == LAB_SUCCESS) status = check_against_opencl(setup);
    if (status == LAB_SUCCESS) status = bench_compare_processor_time(&ratio, run_kernel, run_opencl, setup);
    bench_add_row((bench_row){"  times OpenCL's", "", BENCH_AT_MOST, 1}, &ratio, status);
}

static void measure(against_loops *setup, lab_status status)
{
    compare_with_opencl(setup, compare_with_loop(setup, status));
    lab_array_destroy(setup->out);
    lab_array_destroy(setup->of_loop);
    setup->out = setup->of_loop = NULL;
    if (!setup->opencl) return;
    opencl_kernel_free(setup->opencl, setup->their_kernel);
    opencl_buffer_free(setup->opencl, setup->their_out);
    setup->their_kernel = NULL;
    setup->their_out = NULL;
}

static void open_opencl(against_loops *setup)
{
    if (!opencl_open(&setup->opencl)) {
        bench_add_note("Not compared with OpenCL: this machine has none for its CPU; apt-get install "
                       "pocl-opencl-icd ocl-icd-libopencl1 installs PoCL.");
        return;
    }
    char note[512];
    snprintf(note, sizeof note, "OpenCL is %s.", opencl_name(setup->opencl));
    bench_add_note(note);
}

void bench_against_loops(void)
{
    against_loops setup = {0};
    open_opencl(&setup);
    lab_status status = make_inputs(&setup);
    if (status == LAB_SUCCESS) status = lab_module_load_source(&setup.module, loops_text, "loops.cu");
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        setup.subject = &subjects[i];
        measure(&setup, status);
    }
    if (setup.opencl) opencl_buffer_free(setup.opencl, setup.their_a);
    if (setup.opencl) opencl_buffer_free(setup.opencl, setup.their_b);
    opencl_close(setup.opencl);
    lab_module_unload(setup.module);
    lab_array_destroy(setup.a);
    lab_array_destroy(setup.b);
}
