/*
 * Lab 03's functions, with the number of arrays, the floats in each, the kernel's steps and the number of streams:
 *
 *     serial ARRAYS LENGTH STEPS STREAMS [BLOCKS]
 *     serial_pinned | depth_pageable | depth_pinned | breadth_pinned ...    the same
 *     speed_up ARRAYS LENGTH STEPS ROUNDS    times of serial, pageable and pinned for 1 to ARRAYS streams
 *
 * A kernel is one block, as in the lab, unless BLOCKS says more.
 */
#include "slide.h"

#include "lab03.h"

#include <stdlib.h>
#include <string.h>

static unsigned blocks = 1;
#undef LAB03_GRID
#define LAB03_GRID LAB_DIM(blocks)
#include ANSWER

static lab03_work work;
static bool pinned;

static void *room_for(int count, size_t bytes)
{
    void *memory = aligned_alloc(4096, ((size_t)count * bytes + 4095) / 4096 * 4096);
    if (!memory) abort();
    return memory;
}

static void make_arrays(int arrays, int length, int steps)
{
    float *rate = room_for(arrays, sizeof *rate);
    slide_fill(rate, (size_t)arrays, 3.6f, 3.95f);
    work = (lab03_work){.arrays = arrays,
                        .length = length,
                        .bytes = (size_t)length * sizeof(float),
                        .input = room_for(arrays, sizeof(float *)),
                        .output = room_for(arrays, sizeof(float *)),
                        .device = room_for(arrays, sizeof(lab_array *)),
                        .advance = slide_kernel("labs/lab03-concurrency/kernels.cu", "advance"),
                        .rate = rate,
                        .steps = steps,
                        .stream = room_for(arrays, sizeof(lab_stream *)),
                        .start = room_for(arrays, sizeof(lab_event *)),
                        .end = room_for(arrays, sizeof(lab_event *))};
    for (int k = 0; k < arrays; k++) {
        work.input[k] = room_for(1, work.bytes);
        work.output[k] = room_for(1, work.bytes);
        slide_fill(work.input[k], (size_t)length, 0.05f, 0.95f);
        memset(work.output[k], 0, work.bytes);
        LAB_CHECK(lab_array_empty(&work.device[k], LAB_FLOAT32, LAB_SHAPE((size_t)length)));
    }
}

static void serial(void) { LAB_CHECK(lab03_serial(&work)); }
static void depth_first(void) { LAB_CHECK(lab03_depth_first(&work)); }
static void breadth_first(void) { LAB_CHECK(lab03_breadth_first(&work)); }

/* One time of `function`, in milliseconds, after one that is not measured. */
static double time_of(void (*function)(void))
{
    function();
    const double begin = slide_clock();
    function();
    return slide_clock() - begin;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A row: who, with how many streams, and the median of the rounds. */
static json_t *row(const char *name, int streams, void (*function)(void), int rounds)
{
    double times[25];
    if (rounds > 25) rounds = 25;
    for (int k = 0; k < rounds; k++) times[k] = time_of(function);
    qsort(times, (size_t)rounds, sizeof *times, by_size);
    return json_pack("{s:s, s:i, s:f, s:f, s:f}", "name", name, "streams", streams, "median_ms", times[rounds / 2],
                     "least_ms", times[0], "most_ms", times[rounds - 1]);
}

static void speed_up(int rounds)
{
    static const int counts[] = {1, 2, 4, 8, 16, 32, 64, 128, 200};
    json_t *rows = json_array();
    json_array_append_new(rows, row("serial", 1, serial, rounds));
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 1) LAB_CHECK(lab03_pin(&work));
        for (size_t i = 0; i < sizeof counts / sizeof *counts && counts[i] <= work.arrays; i++) {
            work.streams = counts[i];
            LAB_CHECK(lab03_open(&work));
            json_array_append_new(rows, row(kind ? "pinned" : "pageable", counts[i], depth_first, rounds));
            LAB_CHECK(lab03_close(&work));
        }
    }
    slide_save(json_pack("{s:i, s:i, s:i, s:i, s:o}", "arrays", work.arrays, "length", work.length, "steps", work.steps,
                         "rounds", rounds, "rows", rows));
}

int main(int argc, char **argv)
{
    slide_open(argc, argv, 5);
    const char *mode = slide_text(0);
    make_arrays(slide_number(1), slide_number(2), slide_number(3));
    if (strcmp(mode, "speed_up") == 0) {
        speed_up(slide_number(4));
        return 0;
    }
    work.streams = slide_number(4);
    if (slide_has(5)) blocks = (unsigned)slide_number(5);
    pinned = strstr(mode, "pinned") != NULL;
    LAB_CHECK(lab03_open(&work));
    if (pinned) LAB_CHECK(lab03_pin(&work));
    slide_record(mode, 21,
                 (slide_run){NULL, strncmp(mode, "serial", 6) == 0       ? serial
                                   : strcmp(mode, "breadth_pinned") == 0 ? breadth_first
                                                                         : depth_first});
    return 0;
}
