/*
 * Lab 03, 200 arrays at once: what you are given and what you write.
 */
#ifndef LAB03_H
#define LAB03_H

#include "lab.h"

/* The work. Everything is ready when your functions are called except the streams and events: there is room for them,
 * and your functions make them. Array k goes from input[k] to device[k], through the kernel, to output[k]. */
typedef struct lab03_work {
    int arrays;           /* how many: 200 */
    int length;           /* floats in each */
    size_t bytes;         /* of each: length * sizeof(float) */
    float **input;        /* input[k]: host memory, pageable until lab03_pin */
    float **output;       /* output[k]: host memory, pageable until lab03_pin */
    lab_array **device;   /* device[k]: device memory for one array */
    lab_function advance; /* the kernel advance(float *x, int length, float rate, int steps) of kernels.cu */
    const float *rate;    /* rate[k]: the kernel's rate for array k */
    int steps;            /* the kernel's steps, the same for all */
    int streams;          /* how many streams to use: one an array, or fewer */
    lab_stream **stream;  /* room for `streams` streams; array k uses stream[k % streams] */
    lab_event **start;    /* room for `arrays` events */
    lab_event **end;      /* room for `arrays` events */
} lab03_work;

/* The kernel runs as one block of 64 threads: small enough that many fit on a GPU at once. */
#define LAB03_GRID LAB_DIM(1)
#define LAB03_BLOCK LAB_DIM(64)

/* Each function returns LAB_SUCCESS, or the status of the call that failed. The status of a cleanup call may be
 * lost. */

/* Given: everything on the null stream, one array after another, with copies that the host waits for. */
lab_status lab03_serial(const lab03_work *work);

/* Task 1. Makes the streams of work->stream; releases them. */
lab_status lab03_open(lab03_work *work);
lab_status lab03_close(lab03_work *work);

/* Task 2. Depth first: for each array in turn its copy in, its kernel and its copy out, on the array's stream.
 * Returns when all outputs have arrived. */
lab_status lab03_depth_first(const lab03_work *work);

/* Task 3. Pins all inputs and outputs; unpins them. */
lab_status lab03_pin(const lab03_work *work);
lab_status lab03_unpin(const lab03_work *work);

/* Task 4. Breadth first: all copies in, then all kernels, then all copies out, each on its array's stream.
 * Returns when all outputs have arrived. */
lab_status lab03_breadth_first(const lab03_work *work);

/* Task 5. The times of the kernels, measured with events on their streams. */
typedef struct lab03_times {
    float mean;          /* milliseconds */
    float deviation;     /* standard deviation, milliseconds: square root of the mean of (time - mean)^2 */
    float *milliseconds; /* milliseconds[k]: kernel k, start to end; room for `arrays` */
} lab03_times;

/* Depth first as in task 2, with an event just before and just after each kernel; fills in *times. */
lab_status lab03_time_kernels(lab03_times *times, const lab03_work *work);

#endif
