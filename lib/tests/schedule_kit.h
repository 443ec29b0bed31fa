/*
 * The parts of the programs of schedule_programs.h: streams, events, buffers, kernels, and short names for calls. It
 * uses lab.h alone.
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

/* The parts that every program has. */
typedef struct kit {
    lab_module *module;
    lab_function step, step_at;
    lab_stream *a, *b; /* non-blocking */
    lab_event *e, *f;
    lab_stream *many[MOST_BUFFERS]; /* made by the tests that use them */
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

/* Every run has numbers of its own, so that those of the run before cannot stand in for missing ones. */
static int run_number;

static int number_at(int i) { return 5 * i + 11 + 1000 * run_number; }

/* Gives a program fresh memory, which kit_end frees. */
static void kit_begin(kit *k)
{
    run_number++;
    for (int i = 0; i < MOST_BUFFERS; i++) {
        LAB_CHECK(lab_mem_alloc(&k->device[i], BYTES));
        memset(k->pinned[i], 0, BYTES);
    }
    for (int i = 0; i < COUNT; i++) k->pinned[0][i] = number_at(i);
}

static void kit_end(kit *k)
{
    LAB_CHECK(lab_device_synchronize());
    for (int i = 0; i < MOST_BUFFERS; i++) LAB_CHECK(lab_mem_free(k->device[i]));
    LAB_CHECK(lab_event_destroy(k->e));
    LAB_CHECK(lab_event_destroy(k->f));
    LAB_CHECK(lab_event_create(&k->e, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&k->f, LAB_EVENT_DISABLE_TIMING));
}

/* ---- Short names ---- */

static void upload(kit *k, int destination, int source, lab_stream *stream)
{
    LAB_CHECK(lab_memcpy_htod_async(k->device[destination], k->pinned[source], BYTES, stream));
}

static void download(kit *k, int destination, int source, lab_stream *stream)
{
    LAB_CHECK(lab_memcpy_dtoh_async(k->pinned[destination], k->device[source], BYTES, stream));
}

static void compute(kit *k, int destination, int source, int add, lab_stream *stream)
{
    LAB_CHECK(lab_launch(k->step, LAB_DIM(BLOCKS), LAB_DIM(THREADS), 0, stream,
                         LAB_ARGS(k->device[source], k->device[destination], (int)COUNT, add)));
}

static void record(lab_event *event, lab_stream *stream) { LAB_CHECK(lab_event_record(event, stream)); }

static void wait_for(lab_event *event, lab_stream *stream) { LAB_CHECK(lab_stream_wait_event(stream, event)); }

static void synchronize(lab_stream *stream) { LAB_CHECK(lab_stream_synchronize(stream)); }

/* Functions that race with the device on purpose: the thread sanitizer need not tell. */
#define RACES __attribute__((noinline, no_sanitize("thread")))

/* Whether the pinned buffer holds the numbers after that many steps, the first adding 1, the next 2, ... */
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
