/*
 * Lab 03 at its full size: the workbook's own solution, compared with the driver's calls for the same work on the same
 * memory and the same streams. (200 streams share a few hardware queues, and another 200 may share them differently.)
 * Also the time of the copies alone, in both directions at once; and the best time found with a free choice of shape,
 * streams and order.
 */
#include "cuda_raw.h"

#include "../../labs/lab03-concurrency/lab03.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARRAYS = 200, LENGTH = 1 << 20, STEPS = 50, SLOW_ROUNDS = 3, SHAPES = 5, SHAPE_ROUNDS = 3 };
#define BYTES ((size_t)LENGTH * sizeof(float))
#define KERNELS "labs/lab03-concurrency/kernels.cu"

typedef struct work {
    lab03_work lab;
    float *input[ARRAYS], *output[ARRAYS], rate[ARRAYS];
    lab_array *device[ARRAYS];
    lab_stream *stream[ARRAYS];
    lab_module *module;
    CUfunction raw_advance;
    CUstream raw_stream[ARRAYS];
    int streams_used; /* in the free choice */
} work;

static lab_status in_milliseconds(double *took, const work *setup, lab_status (*run)(const lab03_work *))
{
    double start = bench_now();
    LAB_TRY(run(&setup->lab));
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status depth_first(double *took, void *user) { return in_milliseconds(took, user, lab03_depth_first); }

static lab_status breadth_first(double *took, void *user) { return in_milliseconds(took, user, lab03_breadth_first); }

/* ---- the driver's calls ---- */

static lab_status raw_launch(const work *setup, int k, unsigned blocks, unsigned threads, CUstream stream)
{
    CUdeviceptr memory = lab_array_data(setup->device[k]);
    int length = LENGTH, steps = STEPS;
    float rate = setup->rate[k];
    void *arguments[] = {&memory, &length, &rate, &steps};
    RAW_TRY(cuda.cuLaunchKernel, setup->raw_advance, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL);
    return LAB_SUCCESS;
}

static lab_status raw_enqueue(const work *setup, int k, unsigned blocks, unsigned threads, CUstream stream)
{
    CUdeviceptr memory = lab_array_data(setup->device[k]);
    RAW_TRY(cuda.cuMemcpyHtoDAsync, memory, setup->input[k], BYTES, stream);
    LAB_TRY(raw_launch(setup, k, blocks, threads, stream));
    RAW_TRY(cuda.cuMemcpyDtoHAsync, setup->output[k], memory, BYTES, stream);
    return LAB_SUCCESS;
}

static lab_status raw_depth_first(double *took, void *user)
{
    const work *setup = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) LAB_TRY(raw_enqueue(setup, k, 1, 64, setup->raw_stream[k]));
    for (int k = 0; k < ARRAYS; k++) RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream[k]);
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

/* All copies in on one stream, all copies out on another. */
static lab_status raw_copies(double *took, void *user)
{
    const work *setup = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) {
        RAW_TRY(cuda.cuMemcpyHtoDAsync, lab_array_data(setup->device[k]), setup->input[k], BYTES, setup->raw_stream[0]);
        RAW_TRY(cuda.cuMemcpyDtoHAsync, setup->output[k], lab_array_data(setup->device[(k + ARRAYS / 2) % ARRAYS]),
                BYTES, setup->raw_stream[1]);
    }
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream[0]);
    RAW_TRY(cuda.cuStreamSynchronize, setup->raw_stream[1]);
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

/* ---- any shape, streams and order ---- */

/* The library, with each kernel on the whole GPU, depth first on a few streams. */
static lab_status free_choice(double *took, void *user)
{
    const work *setup = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) {
        lab_stream *stream = setup->stream[k % setup->streams_used];
        LAB_TRY(lab_array_set_async(setup->device[k], setup->input[k], stream));
        LAB_TRY(lab_launch(setup->lab.advance, LAB_DIM(512), LAB_DIM(256), 0, stream,
                           LAB_ARGS(setup->device[k], LENGTH, setup->rate[k], STEPS)));
        LAB_TRY(lab_array_get_async(setup->device[k], setup->output[k], stream));
    }
    for (int s = 0; s < setup->streams_used; s++) LAB_TRY(lab_stream_synchronize(setup->stream[s]));
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status choose_streams(work *setup)
{
    static const int tried[SHAPES] = {3, 4, 8, 16, 32};
    double least = 1e9;
    int best = tried[0];
    for (int i = 0; i < SHAPES; i++) {
        setup->streams_used = tried[i];
        for (int round = 0; round < SHAPE_ROUNDS; round++) {
            double took;
            LAB_TRY(free_choice(&took, setup));
            if (took < least) {
                least = took;
                best = tried[i];
            }
        }
    }
    setup->streams_used = best;
    return LAB_SUCCESS;
}

/* ---- preparing ---- */

static lab_status make_arrays(work *setup)
{
    for (int k = 0; k < ARRAYS; k++) {
        setup->input[k] = aligned_alloc(4096, BYTES);
        setup->output[k] = aligned_alloc(4096, BYTES);
        if (!setup->input[k] || !setup->output[k])
            return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for 200 "
                                                     "arrays");
        setup->rate[k] = 3.6f + 0.001f * (float)k;
        for (int i = 0; i < LENGTH; i++) {
            setup->input[k][i] = (float)((i * 37 + k) % 1000 + 1) / 1002.0f;
            setup->output[k][i] = 0;
        }
        LAB_TRY(lab_array_empty(&setup->device[k], LAB_FLOAT32, LAB_SHAPE(LENGTH)));
    }
    return LAB_SUCCESS;
}

static lab_status prepare_raw(work *setup)
{
    char source[1 << 14];
    FILE *file = fopen(KERNELS, "re");
    size_t size = file ? fread(source, 1, sizeof source - 1, file) : 0;
    if (file) fclose(file);
    source[size] = '\0';
    LAB_TRY(raw_load(&setup->raw_advance, source, "advance"));
    for (int k = 0; k < ARRAYS; k++) {
        void *native;
        LAB_TRY(lab_stream_native(&native, setup->stream[k]));
        setup->raw_stream[k] = native;
    }
    return LAB_SUCCESS;
}

static lab_status prepare(work *setup)
{
    LAB_TRY(make_arrays(setup));
    LAB_TRY(lab_module_load_file(&setup->module, KERNELS));
    LAB_TRY(lab_module_get_function(&setup->lab.advance, setup->module, "advance"));
    setup->lab = (lab03_work){.arrays = ARRAYS,
                              .length = LENGTH,
                              .bytes = BYTES,
                              .input = setup->input,
                              .output = setup->output,
                              .device = setup->device,
                              .advance = setup->lab.advance,
                              .rate = setup->rate,
                              .steps = STEPS,
                              .streams = ARRAYS,
                              .stream = setup->stream};
    LAB_TRY(lab03_open(&setup->lab));
    return prepare_raw(setup);
}

static void release(const work *setup)
{
    for (int k = 0; k < ARRAYS; k++) {
        lab_stream_destroy(setup->stream[k]);
        lab_array_destroy(setup->device[k]);
        free(setup->input[k]);
        free(setup->output[k]);
    }
    lab_module_unload(setup->module);
}

/* ---- */

static lab_status sample(bench_samples *samples, int rounds, raw_timed *run, work *setup)
{
    for (int round = -1; round < rounds; round++) {
        double took;
        LAB_TRY(run(&took, setup));
        if (round >= 0) bench_add_sample(samples, took);
    }
    return LAB_SUCCESS;
}

static lab_status serial(double *took, void *user) { return in_milliseconds(took, user, lab03_serial); }

/* The dividend over each sample. */
static bench_samples divide(double dividend, const bench_samples *samples)
{
    bench_samples ratio = {0};
    for (int i = 0; i < samples->count; i++) bench_add_sample(&ratio, dividend / samples->value[i]);
    return ratio;
}

void bench_cuda_lab03(void)
{
    static work setup;
    bench_samples one_by_one = {0}, pageable = {0}, breadth = {0}, speedup = {0};
    raw_comparison pinned = {0}, best = {0};
    lab_status status = prepare(&setup);
    if (status == LAB_SUCCESS) status = sample(&one_by_one, SLOW_ROUNDS, serial, &setup);
    bench_add_row((bench_row){"lab 03, serial, null stream", "ms", BENCH_NO_GOAL, 0}, &one_by_one, status);
    if (status == LAB_SUCCESS) status = sample(&pageable, SLOW_ROUNDS, depth_first, &setup);
    bench_add_row((bench_row){"lab 03, streams, pageable", "ms", BENCH_NO_GOAL, 0}, &pageable, status);
    if (status == LAB_SUCCESS) status = lab03_pin(&setup.lab);
    if (status == LAB_SUCCESS) status = raw_compare(&pinned, depth_first, raw_depth_first, 1, &setup);
    bench_add_row((bench_row){"lab 03, streams, pinned", "ms", BENCH_NO_GOAL, 0}, &pinned.ours, status);
    bench_add_row((bench_row){"  the driver's calls", "ms", BENCH_NO_GOAL, 0}, &pinned.raw, status);
    bench_add_row((bench_row){"  over the driver's calls", "", BENCH_AT_MOST, 1.02}, &pinned.ratio, status);
    if (status == LAB_SUCCESS) speedup = divide(bench_median(&one_by_one), &pinned.ours);
    bench_add_row((bench_row){"  times as fast as serial", "", BENCH_AT_LEAST, 70}, &speedup, status);
    if (status == LAB_SUCCESS) status = sample(&breadth, BENCH_ROUNDS, breadth_first, &setup);
    bench_add_row((bench_row){"lab 03, streams, pinned, breadth first", "ms", BENCH_NO_GOAL, 0}, &breadth, status);
    if (status == LAB_SUCCESS) status = choose_streams(&setup);
    if (status == LAB_SUCCESS) status = raw_compare(&best, free_choice, raw_copies, 1, &setup);
    bench_add_row((bench_row){"lab 03, shape, streams and order free", "ms", BENCH_NO_GOAL, 0}, &best.ours, status);
    bench_add_row((bench_row){"  its copies alone, both ways at once", "ms", BENCH_NO_GOAL, 0}, &best.raw, status);
    bench_add_row((bench_row){"  over its copies alone", "", BENCH_AT_MOST, 1.15}, &best.ratio, status);
    lab03_unpin(&setup.lab);
    release(&setup);
}
