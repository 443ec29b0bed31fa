/*
 * Lab 09, ordering: what you are given and what you write.
 */
#ifndef LAB09_H
#define LAB09_H

#include "lab.h"

/* A function that succeeds has released the events that it made. If a call fails, it returns that status at once. You
 * may ignore the status of a call that only releases something. Of these functions only lab09_ask waits for the
 * device. */

/* One batch of task 4. */
typedef struct lab09_batch {
    int count;
    float *host;        /* pinned memory for count numbers */
    float *total;       /* one for all batches: 0 before the first, then the last number of the batch before */
    lab_stream *stream; /* `one` for the first batch, then `two`, `one`, `two`, ... */
    lab_array *x, *u, *v;
} lab09_batch;

/* The work. Everything is ready when your functions are called. */
typedef struct lab09_work {
    int count;                    /* numbers in each array */
    int steps;                    /* for advance */
    lab_function advance;         /* advance(float *to, const float *from, int count, int steps) */
    lab_function mix;             /* mix(float *to, const float *a, const float *b, int count) */
    lab_stream *one, *two;        /* non-blocking streams */
    lab_array *x, *y;             /* the inputs */
    lab_array *u, *v, *p, *q, *r; /* results */
    int batches;                  /* of task 4 */
    lab09_batch *batch;           /* batch[k]: valid until its work is done */
} lab09_work;

/* The launch of both kernels: blocks of 128 threads, enough for all numbers. */
#define LAB09_BLOCK LAB_DIM(128)
#define LAB09_GRID(count) LAB_DIM((unsigned)((count) + 127) / 128)

/* Task 1. On `one` u = advance(x), on `two` v = mix(x, y). Nothing orders the two kernels. */
lab_status lab09_at_once(const lab09_work *work);

/* Task 2. On `one` u = advance(x), then v = advance(y). On `two` p = mix(u, y), which waits for u and not for v. */
lab_status lab09_in_order(const lab09_work *work);

/* Task 2. u = advance(x), v = advance(y), p = mix(u, v), q = advance(u), r = mix(p, q), on `one` and `two` as you like.
 * A kernel waits for those whose results it needs, for what these wait for, and for no other. */
lab_status lab09_branches(const lab09_work *work);

/* Task 3. Makes three non-blocking streams, which are the caller's. The urgent one has the highest priority of the
 * current device and the background one the lowest. The normal one has the number halfway between. If two numbers are
 * equally near the middle, take the one nearer to 0. */
enum { LAB09_URGENT, LAB09_NORMAL, LAB09_BACKGROUND, LAB09_STREAMS };
lab_status lab09_open_streams(lab_stream *stream[LAB09_STREAMS]);

/* Task 3. Enqueues a long job on the background stream: u = advance(x), v = advance(u), q = advance(v). Then enqueues
 * p = mix(x, y) on the urgent stream, and its copy to answer, which is pinned. Nothing orders p and its copy after the
 * job, and nothing else is enqueued. Waits by calls of the library until the answer is there, and not for the job. */
lab_status lab09_ask(float *answer, const lab09_work *work, lab_stream *const stream[LAB09_STREAMS]);

/* Task 4. The host function of a batch, which is its `user`: adds *total to each number of batch->host, then makes the
 * last of them the new *total. It calls nothing of the library. */
void lab09_carry(void *user);

/* Task 4. For each batch, on its stream: u = advance(x); u is copied to batch->host; lab09_carry is called, once;
 * batch->host is copied to u; v = mix(u, x). A call of lab09_carry waits for that of the batch before. Nothing else
 * orders the work of two batches on different streams. */
lab_status lab09_in_turn(const lab09_work *work);

#endif
