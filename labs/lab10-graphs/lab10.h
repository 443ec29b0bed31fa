/*
 * Lab 10, graphs: what you are given and what you write.
 */
#ifndef LAB10_H
#define LAB10_H

#include "lab.h"

/* If a call fails, the function returns that status. The status of a cleanup call may be lost. A function that
 * succeeds has released what it made, but for results that are the caller's. Of these functions only lab10_measure
 * waits for the device. */

/* The work. Everything is ready when your functions are called. */
typedef struct lab10_work {
    int count;                    /* numbers in each array */
    int steps;                    /* for advance */
    lab_function advance;         /* advance(float *to, const float *from, int count, int steps) */
    lab_function mix;             /* mix(float *to, const float *a, const float *b, int count) */
    lab_stream *one, *two;        /* to capture on: non-blocking streams */
    lab_stream *other;            /* to replay on: a non-blocking stream */
    lab_event *forked, *joined;   /* for the edges between `one` and `two` */
    lab_array *x, *y;             /* the inputs */
    lab_array *u, *p, *q, *s, *r; /* results */
} lab10_work;

/* The launch of both kernels: blocks of 128 threads, enough for all numbers. */
#define LAB10_BLOCK LAB_DIM(128)
#define LAB10_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Task 1. Enqueues a fork and a join. On `one` u = advance(x), p = advance(u), r = mix(p, s). On `two` q = mix(u, y),
 * s = advance(q). A kernel waits for those whose results it needs, for what these wait for, and for no other. What was
 * enqueued on `one` before comes first, and what is enqueued there later comes last. */
lab_status lab10_enqueue(const lab10_work *work);

/* Task 1. Captures the five kernels of lab10_enqueue into a graph, which is the caller's. Nothing runs. Whether it
 * succeeds or not, no stream captures when it returns; if it fails, *out is NULL and no graph is left. */
lab_status lab10_record(lab_graph **out, const lab10_work *work);

/* The nodes of a graph from lab10_record, as tasks 2 and 3 are given one, in the order of capture. */
enum { LAB10_U, LAB10_P, LAB10_Q, LAB10_S, LAB10_R, LAB10_NODES };

/* Task 2, new data at the same address. For each row of `count` numbers, on `other`: copies the row to x, launches the
 * graph, copies r to the row of results. Instantiates the graph once, and enqueues nothing else. rows and results are
 * pinned. */
lab_status lab10_replay(float *results, const float *rows, int rounds, lab_graph *graph, const lab10_work *work);

/* Task 2, new addresses. Launches the graph on `other` once for each k, so that it reads from[k] instead of x, and
 * writes to[k] instead of r. Instantiates the graph once. Copies nothing, and enqueues nothing else. */
lab_status lab10_follow(lab_array *const to[], lab_array *const from[], int rounds, lab_graph *graph,
                        const lab10_work *work);

/* Given: starts the host's clock; stops it, and keeps the time as that of this way. */
enum { LAB10_CALLS, LAB10_LAUNCHES, LAB10_WAYS };
void lab10_start(void);
void lab10_stop(int way);

/* Task 3. What enqueuing costs the host. As LAB10_CALLS: `rounds` times lab10_enqueue. As LAB10_LAUNCHES: `rounds`
 * launches of the graph on `other`, one call each. While the clock runs nothing else is done: no wait, nothing made or
 * released. Returns when all work is done. */
lab_status lab10_measure(lab_graph *graph, int rounds, const lab10_work *work);

/* Calls that fail, in captures of any mode. */
enum {
    LAB10_BEGIN_ON_NULL,    /* lab_stream_begin_capture on the null stream */
    LAB10_END_UNJOINED,     /* lab_stream_end_capture on `one`, when `two` is a fork with a kernel and was not joined */
    LAB10_SYNCHRONIZE,      /* lab_stream_synchronize(work->one) while `one` captures */
    LAB10_END_INVALIDATED,  /* lab_stream_end_capture after that */
    LAB10_WAIT_FOR_OUTSIDE, /* while `one` captures: its wait for an event recorded on `other`, which does not */
    LAB10_NULL_BESIDE,      /* while a blocking stream captures: a launch on the null stream */
    LAB10_ERRORS
};

/* Task 4. Your prediction: the status that each of these calls returns. */
extern const lab_status lab10_errors[LAB10_ERRORS];

/* Task 4. Makes this call fail, which is one of the first three, and returns its status. Nothing runs. Afterwards no
 * stream captures, so that all can be used again. */
lab_status lab10_break(const lab10_work *work, int error);

#endif
