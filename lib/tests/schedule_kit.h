/*
 * What the programs of schedule_programs.h are made of: streams, events, buffers, kernels, and shorter words for the calls.
 * It knows lab.h alone.
 */
#ifndef LAB_TESTS_SCHEDULE_KIT_H
#define LAB_TESTS_SCHEDULE_KIT_H

#include "lab.h"

#include <stdbool.h>
#include <string.h>

enum {
    COUNT = 300,
    BYTES = COUNT * sizeof(int),
    MOST_BUFFERS = 8,
    THREADS = 64,
    BLOCKS = (COUNT + THREADS - 1) / THREADS
};

/* What every program has. */
typedef struct kit {
    lab_module *module;
    lab_function step, step_at;
    lab_stream *a, *b; /* non-blocking */
    lab_event *e, *f;
    lab_stream *many[MOST_BUFFERS]; /* made by who uses them */
    lab_event *mark[MOST_BUFFERS];
    lab_deviceptr device[MOST_BUFFERS]; /* BYTES each, uninitialised */
    int *pinned[MOST_BUFFERS];          /* pinned[0] holds the numbers to compute with, the others zeros */
} kit;

static void kit_load(kit *made)
{
    LAB_CHECK(lab_module_load_file(&made->module, "lib/tests/schedule_kernels.cu"));
    LAB_CHECK(lab_module_get_function(&made->step, made->module, "step"));
    LAB_CHECK(lab_module_get_function(&made->step_at, made->module, "step_at"));
    LAB_CHECK(lab_stream_create(&made->a, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made->b, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made->e, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&made->f, LAB_EVENT_DISABLE_TIMING));
    for (int i = 0; i < MOST_BUFFERS; i++) LAB_CHECK(lab_host_alloc((void **)&made->pinned[i], BYTES));
}

/* Every run has numbers of its own, lest those of the run before make up for what is missing. */
static int run_number;

static int number_at(int i) { return 5 * i + 11 + 1000 * run_number; }

/* Fresh memory for a program to run in, and what was there before given back. */
static void kit_begin(kit *of)
{
    run_number++;
    for (int i = 0; i < MOST_BUFFERS; i++) {
        LAB_CHECK(lab_mem_alloc(&of->device[i], BYTES));
        memset(of->pinned[i], 0, BYTES);
    }
    for (int i = 0; i < COUNT; i++) of->pinned[0][i] = number_at(i);
}

static void kit_end(kit *of)
{
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < MOST_BUFFERS; i++) LAB_CHECK(lab_mem_free(of->device[i]));
    LAB_CHECK(lab_event_destroy(of->e));
    LAB_CHECK(lab_event_destroy(of->f));
    LAB_CHECK(lab_event_create(&of->e, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&of->f, LAB_EVENT_DISABLE_TIMING));
}

/* ---- Shorter words ---- */

static void upload(kit *k, int to, int from, lab_stream *on)
{
    LAB_CHECK(lab_memcpy_htod_async(k->device[to], k->pinned[from], BYTES, on));
}

static void download(kit *k, int to, int from, lab_stream *on)
{
    LAB_CHECK(lab_memcpy_dtoh_async(k->pinned[to], k->device[from], BYTES, on));
}

static void compute(kit *k, int to, int from, int add, lab_stream *on)
{
    LAB_CHECK(lab_launch(k->step, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, on,
                         LAB_ARGS(k->device[from], k->device[to], (int)COUNT, add)));
}

static void record(lab_event *event, lab_stream *on) { LAB_CHECK(lab_event_record(event, on)); }

static void wait_for(lab_event *event, lab_stream *waiting) { LAB_CHECK(lab_stream_wait_event(waiting, event)); }

static void synchronize(lab_stream *stream) { LAB_CHECK(lab_stream_synchronize(stream)); }

/* What uses memory that the device may be using, on purpose: the thread sanitizer need not tell. */
#define RACES __attribute__((noinline, no_sanitize("thread")))

/* Whether the pinned buffer holds the numbers after so many steps, the first adding 1, the next 2, ... */
static RACES bool holds_steps(const int *found, int steps)
{
    for (int i = 0; i < COUNT; i++) {
        int expected = number_at(i);
        for (int step = 1; step <= steps; step++) expected = expected * 3 + step;
        if (found[i] != expected) return false;
    }
    return true;
}

#endif
