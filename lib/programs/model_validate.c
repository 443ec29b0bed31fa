/*
 * model_validate: compares the model with an H200's measured times for the variants of lab 03, as a table. Runs each
 * variant on the CPU device with its full structure but small arrays, and models the record with the arrays' full size,
 * on h200 or on the profile that it is given, which may not have the time of every kernel. Exits with 1 if a figure
 * differs by more than the bound, or if variants are not in the order of their times.
 */
#include "lab_trace.h"
#include "model_order.h"
#include "trace/model/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 200, LENGTH = 1024, SCALE = 1024, BOUND_PERCENT = 15 };

typedef enum order { SERIAL, DEPTH, BREADTH } order;

typedef struct variant {
    order order;
    bool pinned;
    int streams;
    const char *kernel;
    double milliseconds; /* measured: the median of 7 calls of a program in C */
} variant;

/* 200 arrays of 4 MiB, kernels of one block of 64 threads: "advance" is lab 03's, with 50 steps; "twice_half"
 * multiplies by two and by a half, 50 times. 2026-11-20, one H200 SXM, driver 580, CUDA 13.0. */
static const variant variants[] = {
    {SERIAL, false, 1, "advance", 1978.8},    {SERIAL, true, 1, "advance", 1849.6},
    {DEPTH, false, 200, "advance", 1964.5},   {BREADTH, false, 200, "advance", 153.8},
    {DEPTH, true, 200, "advance", 28.5},      {DEPTH, true, 128, "advance", 32.5},
    {DEPTH, true, 64, "advance", 49.4},       {DEPTH, true, 32, "advance", 81.0},
    {DEPTH, true, 16, "advance", 146.7},      {BREADTH, true, 200, "advance", 35.8},
    {BREADTH, true, 128, "advance", 42.2},    {BREADTH, true, 64, "advance", 64.8},
    {BREADTH, true, 32, "advance", 98.8},     {BREADTH, true, 16, "advance", 164.1},
    {SERIAL, false, 1, "twice_half", 1645.1}, {SERIAL, true, 1, "twice_half", 1537.0},
    {DEPTH, true, 200, "twice_half", 26.7},   {DEPTH, true, 128, "twice_half", 28.8},
    {DEPTH, true, 64, "twice_half", 42},      {DEPTH, true, 32, "twice_half", 68},
    {DEPTH, true, 16, "twice_half", 124},     {BREADTH, true, 200, "twice_half", 30.0},
};

static const char *const order_names[] = {"serial", "depth first", "breadth first"};

static const char source[] = "extern \"C\" __global__ void advance(float *x) { x[threadIdx.x] += 1; }\n"
                             "extern \"C\" __global__ void twice_half(float *x) { x[threadIdx.x] += 1; }\n";

typedef struct work {
    lab_array *device[ARRAYS];
    float *input[ARRAYS], *output[ARRAYS];
    lab_stream *stream[ARRAYS];
    lab_function kernel;
} work;

static lab_status launch(const work *job, int k, lab_stream *stream)
{
    return lab_launch(job->kernel, LAB_DIM(1), LAB_DIM(64), 0, stream, LAB_ARGS(job->device[k]));
}

static lab_status run_serial(const work *job)
{
    for (int k = 0; k < ARRAYS; k++) {
        LAB_TRY(lab_array_set(job->device[k], job->input[k]));
        LAB_TRY(launch(job, k, lab_stream_null()));
        LAB_TRY(lab_array_get(job->device[k], job->output[k]));
    }
    return LAB_SUCCESS;
}

static lab_status run_streams(const work *job, order sequence, int streams)
{
    for (int part = 0; part < (sequence == BREADTH ? 3 : 1); part++)
        for (int k = 0; k < ARRAYS; k++) {
            lab_stream *stream = job->stream[k % streams];
            if (sequence == DEPTH || part == 0) LAB_TRY(lab_array_set_async(job->device[k], job->input[k], stream));
            if (sequence == DEPTH || part == 1) LAB_TRY(launch(job, k, stream));
            if (sequence == DEPTH || part == 2) LAB_TRY(lab_array_get_async(job->device[k], job->output[k], stream));
        }
    for (int s = 0; s < streams; s++) LAB_TRY(lab_stream_synchronize(job->stream[s]));
    return LAB_SUCCESS;
}

static lab_status record(lab_trace **out, work *job, const variant *measured)
{
    lab_module *module;
    for (int k = 0; k < ARRAYS; k++) {
        LAB_TRY(lab_array_empty(&job->device[k], LAB_FLOAT32, LAB_SHAPE(LENGTH)));
        job->input[k] = calloc(LENGTH, sizeof(float));
        job->output[k] = calloc(LENGTH, sizeof(float));
        if (!job->input[k] || !job->output[k]) return LAB_ERROR_OUT_OF_MEMORY;
        if (measured->pinned) LAB_TRY(lab_host_register(job->input[k], LENGTH * sizeof(float)));
        if (measured->pinned) LAB_TRY(lab_host_register(job->output[k], LENGTH * sizeof(float)));
    }
    for (int s = 0; s < measured->streams; s++) LAB_TRY(lab_stream_create(&job->stream[s], LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_module_load_source(&module, source, "validate.cu"));
    LAB_TRY(lab_module_get_function(&job->kernel, module, measured->kernel));
    LAB_TRY(lab_trace_begin());
    LAB_TRY(measured->order == SERIAL ? run_serial(job) : run_streams(job, measured->order, measured->streams));
    LAB_TRY(lab_trace_end(out));
    LAB_TRY(lab_module_unload(module));
    for (int s = 0; s < measured->streams; s++) LAB_TRY(lab_stream_destroy(job->stream[s]));
    for (int k = 0; k < ARRAYS; k++) {
        if (measured->pinned) LAB_TRY(lab_host_unregister(job->input[k]));
        if (measured->pinned) LAB_TRY(lab_host_unregister(job->output[k]));
        free(job->input[k]);
        free(job->output[k]);
        LAB_TRY(lab_array_destroy(job->device[k]));
    }
    return LAB_SUCCESS;
}

static bool is_within(variant measured, double modelled)
{
    return fabs(100 * (modelled / measured.milliseconds - 1)) <= BOUND_PERCENT;
}

/* Prints a row of the table; returns the modelled time. */
static double validate(const variant *measured, const lab_profile *profile)
{
    work job = {0};
    lab_trace *trace;
    lab_model *model;
    LAB_CHECK(record(&trace, &job, measured));
    LAB_CHECK(lab_model_run(&model, trace, profile, &(lab_model_options){.scale = SCALE}));
    double difference = 100 * (model->makespan_ms / measured->milliseconds - 1);
    printf("%-11s %-14s %-9s %3d  %9.1f  %9.1f  %+6.1f %%%s\n", measured->kernel, order_names[measured->order],
           measured->pinned ? "pinned" : "pageable", measured->streams, measured->milliseconds, model->makespan_ms,
           difference, is_within(*measured, model->makespan_ms) ? "" : "  MORE THAN 15 %");
    const double modelled = model->makespan_ms;
    lab_model_free(model);
    lab_trace_free(trace);
    return modelled;
}

int main(int argc, char **argv)
{
    enum { VARIANTS = sizeof variants / sizeof *variants };
    const char *name = argc == 2 ? argv[1] : "h200";
    double modelled[VARIANTS];
    lab_profile *profile;
    size_t within = 0, known = 0;
    model_order pairs = {0};
    setenv("LAB_DEVICE", "cpu", 1);
    LAB_CHECK(lab_profile_open(&profile, name));
    printf(
        "200 arrays of 4 MiB: milliseconds measured on an H200, and modelled on %s from records of the CPU device\n\n",
        name);
    puts("kernel      order          memory    streams  measured   modelled  difference");
    for (size_t i = 0; i < VARIANTS; i++) {
        if (!lab_profile_kernel(profile, variants[i].kernel)) continue;
        known++;
        modelled[i] = validate(&variants[i], profile);
        within += is_within(variants[i], modelled[i]);
        for (size_t j = 0; j < i; j++)
            if (strcmp(variants[i].kernel, variants[j].kernel) == 0)
                model_order_add(&pairs, (model_time){variants[i].milliseconds, modelled[i]},
                                (model_time){variants[j].milliseconds, modelled[j]});
    }
    printf("\n%zu of %zu within %d %%", within, known, BOUND_PERCENT);
    puts(known < VARIANTS ? ", of the kernels whose time the profile has" : "");
    const bool ordered = model_order_print(&pairs);
    lab_profile_free(profile);
    return within == known && ordered ? EXIT_SUCCESS : EXIT_FAILURE;
}
