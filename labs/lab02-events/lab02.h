/*
 * Lab 02, events: what you are given and what you write.
 */
#ifndef LAB02_H
#define LAB02_H

#include "lab.h"

/* A function whose work could not be enqueued does not return LAB_SUCCESS. */

/* The work: input goes through two kernels to output. Everything in it is ready when your functions are called. An
 * event that a function makes is released before it returns. */
typedef struct lab02_work {
    int count;            /* how many numbers */
    const float *input;   /* pinned host memory */
    float *output;        /* pinned host memory */
    lab_array *between;   /* on the device: the input, then the result of produce */
    lab_array *result;    /* on the device: the result of consume */
    lab_function produce; /* produce(float *between, int count): works in place */
    lab_function consume; /* consume(float *result, const float *between, int count, float shift) */
    float shift;          /* for consume */
    lab_stream *producer; /* a non-blocking stream */
    lab_stream *consumer; /* another one */
} lab02_work;

/* The launch of both kernels: blocks of 128 threads, enough for all numbers. */
#define LAB02_BLOCK LAB_DIM(128)
#define LAB02_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Task 1. Copies input in and runs produce, both on work->producer; runs consume and copies the result out, both on
 * work->consumer. An event, and nothing else, orders consume after produce. Returns when output is there. */
lab_status lab02_pipeline(const lab02_work *work);

/* Task 2. Copies input in, runs produce, copies `between` out to output, all on work->producer, and waits. Writes to
 * *milliseconds how long the kernel took: events just before and just after it. */
lab_status lab02_time_kernel(float *milliseconds, const lab02_work *work);

/* Something useful for the host: chore.call(chore.user) does one piece of it. */
typedef struct lab02_chore {
    void (*call)(void *user);
    void *user;
} lab02_chore;

/* Task 3. Does chores, one after another, until everything that was on the stream when it was called is done; the host
 * never waits. */
lab_status lab02_wait_usefully(lab_stream *stream, lab02_chore chore);

/* Task 4. On the stream `first`: fills a (value 1), records the event, fills b (value 2), records the same event again.
 * `second` waits for the event between the two records, `third` after the second one; then c is filled on `second`
 * and d on `third` (values 3 and 4). Does not wait. */
typedef struct lab02_stage {
    lab_stream *first, *second, *third;
    lab_array *a, *b, *c, *d;
    lab_event *event;
} lab02_stage;
lab_status lab02_rerecord(const lab02_stage *stage);

/* Task 4. Your prediction: lab02_waits[later][earlier] says whether the fill of c (later 0) or d (later 1) waits for
 * the fill of a (earlier 0) or b (earlier 1). */
extern const bool lab02_waits[2][2];

/* Task 4. Your prediction for an event that was never recorded: what the calls return. */
enum { LAB02_QUERY, LAB02_SYNCHRONIZE, LAB02_WAIT, LAB02_ELAPSED_TIME, LAB02_CALLS };
extern const lab_status lab02_never_recorded[LAB02_CALLS];

#endif
