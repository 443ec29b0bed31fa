/*
 * Lab 00, measuring: what you are given and what you write.
 */
#ifndef LAB00_H
#define LAB00_H

#include "lab.h"

/* A function whose work could not be enqueued does not return LAB_SUCCESS. */

/* Task 0. Launches the kernel label(int *numbers, int count) of kernels.cu on the current stream: in blocks of
 * LAB00_BLOCK threads, as few as give each of the `count` numbers a thread. */
enum { LAB00_BLOCK = 256 };
lab_status lab00_first_kernel(lab_function label, lab_array *numbers, int count);

/* The work to measure: task->enqueue(task->user) enqueues it on task->stream and does not wait. */
typedef struct lab00_task {
    lab_status (*enqueue)(void *user);
    void *user;
    lab_stream *stream;
} lab00_task;

/* Given: the host's clock, in milliseconds. Read it only where the time counts. */
double lab00_clock(void);

/* Task 1. The host's clock before and after the call that enqueues the work, and nothing else in between. Many programs
 * print this time as the kernel's. */
lab_status lab00_wrong_time(double *milliseconds, const lab00_task *task);

/* Task 2. The host's clock around the whole work, from its beginning to its end: earlier work on the stream does not
 * count, and the clock does not stop early. */
lab_status lab00_host_time(double *milliseconds, const lab00_task *task);

/* Task 3. The time on the device, by two events on the stream. Returns when the work is done and the events are
 * released. */
lab_status lab00_device_time(float *milliseconds, const lab00_task *task);

/* Task 4. The statistics of n times. */
typedef struct lab00_numbers {
    double median; /* the middle one by size; of an even number, the mean of the middle two */
    double mean;
    double deviation; /* square root of the mean of (time - mean)^2 */
    double least, most;
} lab00_numbers;

typedef struct lab00_result {
    lab00_numbers host;   /* of the calls that enqueue, by the host's clock */
    lab00_numbers device; /* of the work, by events */
} lab00_result;
enum { LAB00_MOST_REPEATS = 100 };

/* Task 4. Does the work `warm_up` times without counting, then `repeats` times (1 to LAB00_MOST_REPEATS) for the
 * numbers. The host waits for each time before the next. The events are released here too. */
lab_status lab00_benchmark(lab00_result *result, const lab00_task *task, int warm_up, int repeats);

#endif
