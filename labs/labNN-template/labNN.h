/* Lab NN, the template: what you are given and what you write. */
#ifndef LABNN_H
#define LABNN_H

#include "lab.h"

/* The work: count numbers at input, room for as many at output, the kernel shift(float *to, const float *from, int
 * count, float factor) of kernels.cu, and a stream. */
typedef struct labNN_work {
    size_t count;
    const float *input;
    float *output;
    lab_function shift;
    float factor;
    lab_stream *stream;
} labNN_work;

/* A launch that is large enough for count elements, in blocks of 128 threads. */
#define LABNN_BLOCK LAB_DIM(128)
#define LABNN_GRID(count) LAB_DIM((unsigned)(((count) + 127) / 128))

/* Task 1. Writes input[i + 1] * factor to output[i], and the last input * factor to the last output, by way of the
 * kernel. Copies in, launches the kernel and copies out on the stream, each once. No thread of the kernel reads what
 * another writes. All are there when it returns. If it succeeds, what it made is released. If a call fails, it
 * returns that status at once; that of a cleanup call may be lost. */
lab_status labNN_run(const labNN_work *work);

#endif
