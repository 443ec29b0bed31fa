/*
 * Lab 03 at its full size: the workbook's own solution, beside the driver's calls for the same work on the same memory
 * and the same streams, since 200 streams share a few hardware queues and another 200 may share them another way; what the copies alone take, both ways at once; and the best that was found when shape, streams and order are free.
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
    int streams_used; /* of the free choice */
} work;

static lab_status in_milliseconds(double *took, const work *of, lab_status (*run)(const lab03_work *))
{
    double start = bench_now();
    LAB_TRY(run(&of->lab));
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status depth_first(double *took, void *user) { return in_milliseconds(took, user, lab03_depth_first); }

static lab_status breadth_first(double *took, void *user) { return in_milliseconds(took, user, lab03_breadth_first); }

/* ---- the driver's calls ---- */

static lab_status raw_launch(const work *of, int k, unsigned blocks, unsigned threads, CUstream stream)
{
    CUdeviceptr memory = lab_array_data(of->device[k]);
    int length = LENGTH, steps = STEPS;
    float rate = of->rate[k];
    void *arguments[] = {&memory, &length, &rate, &steps};
    RAW_TRY(cuda.cuLaunchKernel, of->raw_advance, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, NULL);
    return LAB_SUCCESS;
}

static lab_status raw_enqueue(const work *of, int k, unsigned blocks, unsigned threads, CUstream stream)
{
    CUdeviceptr memory = lab_array_data(of->device[k]);
    RAW_TRY(cuda.cuMemcpyHtoDAsync, memory, of->input[k], BYTES, stream);
    LAB_TRY(raw_launch(of, k, blocks, threads, stream));
    RAW_TRY(cuda.cuMemcpyDtoHAsync, of->output[k], memory, BYTES, stream);
    return LAB_SUCCESS;
}

static lab_status raw_depth_first(double *took, void *user)
{
    const work *of = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) LAB_TRY(raw_enqueue(of, k, 1, 64, of->raw_stream[k]));
    for (int k = 0; k < ARRAYS; k++) RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream[k]);
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

/* All copies in on one stream, all copies out on another. */
static lab_status raw_copies(double *took, void *user)
{
    const work *of = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) {
        RAW_TRY(cuda.cuMemcpyHtoDAsync, lab_array_data(of->device[k]), of->input[k], BYTES, of->raw_stream[0]);
        RAW_TRY(cuda.cuMemcpyDtoHAsync, of->output[k], lab_array_data(of->device[(k + ARRAYS / 2) % ARRAYS]), BYTES,
                of->raw_stream[1]);
    }
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream[0]);
    RAW_TRY(cuda.cuStreamSynchronize, of->raw_stream[1]);
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

/* ---- any shape, streams and order ---- */

/* Ours: each kernel on the whole GPU, depth first on a few streams. */
static lab_status free_choice(double *took, void *user)
{
    const work *of = user;
    double start = bench_now();
    for (int k = 0; k < ARRAYS; k++) {
        lab_stream *stream = of->stream[k % of->streams_used];
        LAB_TRY(lab_array_set_async(of->device[k], of->input[k], stream));
        LAB_TRY(lab_launch(of->lab.advance, LAB_DIM(512), LAB_DIM(256), 0, stream,
                           LAB_ARGS(of->device[k], LENGTH, of->rate[k], STEPS)));
        LAB_TRY(lab_array_get_async(of->device[k], of->output[k], stream));
    }
    for (int s = 0; s < of->streams_used; s++) LAB_TRY(lab_stream_synchronize(of->stream[s]));
    *took = 1e3 * (bench_now() - start);
    return LAB_SUCCESS;
}

static lab_status choose_streams(work *of)
{
    static const int tried[SHAPES] = {3, 4, 8, 16, 32};
    double least = 1e9;
    int best = tried[0];
    for (int i = 0; i < SHAPES; i++) {
        of->streams_used = tried[i];
        for (int round = 0; round < SHAPE_ROUNDS; round++) {
            double took;
            LAB_TRY(free_choice(&took, of));
            if (took < least) {
                least = took;
                best = tried[i];
            }
        }
    }
    of->streams_used = best;
    return LAB_SUCCESS;
}

/* ---- making it ready ---- */

static lab_status make_arrays(work *of)
{
    for (int k = 0; k < ARRAYS; k++) {
        of->input[k] = aligned_alloc(4096, BYTES);
        of->output[k] = aligned_alloc(4096, BYTES);
        if (!of->input[k] || !of->output[k]) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for 200 arrays");
        of->rate[k] = 3.6f + 0.001f * (float)k;
        for (int i = 0; i < LENGTH; i++) {
            of->input[k][i] = (float)((i * 37 + k) % 1000 + 1) / 1002.0f;
            of->output[k][i] = 0;
        }
        LAB_TRY(lab_array_empty(&of->device[k], LAB_FLOAT32, LAB_SHAPE(LENGTH)));
    }
    return LAB_SUCCESS;
}

static lab_status prepare_raw(work *of)
{
    char source[1 << 14];
    FILE *file = fopen(KERNELS, "re");
    size_t size = file ? fread(source, 1, sizeof source - 1, file) : 0;
    if (file) fclose(file);
    source[size] = '\0';
    LAB_TRY(raw_load(&of->raw_advance, source, "advance"));
    for (int k = 0; k < ARRAYS; k++) {
        void *native;
        LAB_TRY(lab_stream_native(&native, of->stream[k]));
        of->raw_stream[k] = native;
    }
    return LAB_SUCCESS;
}

static lab_status prepare(work *of)
{
    LAB_TRY(make_arrays(of));
    LAB_TRY(lab_module_load_file(&of->module, KERNELS));
    LAB_TRY(lab_module_get_function(&of->lab.advance, of->module, "advance"));
    of->lab = (lab03_work){.arrays = ARRAYS,
                           .length = LENGTH,
                           .bytes = BYTES,
                           .input = of->input,
                           .output = of->output,
                           .device = of->device,
                           .advance = of->lab.advance,
                           .rate = of->rate,
                           .steps = STEPS,
                           .streams = ARRAYS,
                           .stream = of->stream};
    LAB_TRY(lab03_open(&of->lab));
    return prepare_raw(of);
}

static void release(const work *of)
{
    for (int k = 0; k < ARRAYS; k++) {
        lab_stream_destroy(of->stream[k]);
        lab_array_destroy(of->device[k]);
        free(of->input[k]);
        free(of->output[k]);
    }
    lab_module_unload(of->module);
}

/* ---- */

static lab_status sample(bench_samples *into, int rounds, raw_timed *run, work *of)
{
    for (int round = -1; round < rounds; round++) {
        double took;
        LAB_TRY(run(&took, of));
        if (round >= 0) bench_add_sample(into, took);
    }
    return LAB_SUCCESS;
}

static lab_status serial(double *took, void *user) { return in_milliseconds(took, user, lab03_serial); }

/* `of` each sample over the median of the other. */
static bench_samples divide(double dividend, const bench_samples *of)
{
    bench_samples ratio = {0};
    for (int i = 0; i < of->count; i++) bench_add_sample(&ratio, dividend / of->value[i]);
    return ratio;
}

void bench_cuda_lab03(void)
{
    static work of;
    bench_samples one_by_one = {0}, pageable = {0}, breadth = {0}, speedup = {0};
    raw_comparison pinned = {0}, best = {0};
    lab_status status = prepare(&of);
    if (status == LAB_SUCCESS) status = sample(&one_by_one, SLOW_ROUNDS, serial, &of);
    bench_add_row((bench_row){"lab 03, serial, null stream", "ms", BENCH_NO_GOAL, 0}, &one_by_one, status);
    if (status == LAB_SUCCESS) status = sample(&pageable, SLOW_ROUNDS, depth_first, &of);
    bench_add_row((bench_row){"lab 03, streams, pageable", "ms", BENCH_NO_GOAL, 0}, &pageable, status);
    if (status == LAB_SUCCESS) status = lab03_pin(&of.lab);
    if (status == LAB_SUCCESS) status = raw_compare(&pinned, depth_first, raw_depth_first, 1, &of);
    bench_add_row((bench_row){"lab 03, streams, pinned", "ms", BENCH_NO_GOAL, 0}, &pinned.ours, status);
    bench_add_row((bench_row){"  the driver's calls", "ms", BENCH_NO_GOAL, 0}, &pinned.raw, status);
    bench_add_row((bench_row){"  over the driver's calls", "", BENCH_AT_MOST, 1.02}, &pinned.ratio, status);
    if (status == LAB_SUCCESS) speedup = divide(bench_median(&one_by_one), &pinned.ours);
    bench_add_row((bench_row){"  times as fast as serial", "", BENCH_AT_LEAST, 70}, &speedup, status);
    if (status == LAB_SUCCESS) status = sample(&breadth, BENCH_ROUNDS, breadth_first, &of);
    bench_add_row((bench_row){"lab 03, streams, pinned, breadth first", "ms", BENCH_NO_GOAL, 0}, &breadth, status);
    if (status == LAB_SUCCESS) status = choose_streams(&of);
    if (status == LAB_SUCCESS) status = raw_compare(&best, free_choice, raw_copies, 1, &of);
    bench_add_row((bench_row){"lab 03, shape, streams and order free", "ms", BENCH_NO_GOAL, 0}, &best.ours, status);
    bench_add_row((bench_row){"  its copies alone, both ways at once", "ms", BENCH_NO_GOAL, 0}, &best.raw, status);
    bench_add_row((bench_row){"  over its copies alone", "", BENCH_AT_MOST, 1.15}, &best.ratio, status);
    lab03_unpin(&of.lab);
    release(&of);
}
