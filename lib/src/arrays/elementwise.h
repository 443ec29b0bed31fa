/* Elementwise kernels above the seam, for what the library builds of them. */
#ifndef LAB_ARRAYS_ELEMENTWISE_H
#define LAB_ARRAYS_ELEMENTWISE_H

#include "operands.h"

/* What an elementwise kernel is made of; `preamble` is CUDA C before it, "" for none. */
typedef struct elementwise_source {
    const char *inputs, *outputs, *body, *preamble, *name;
} elementwise_source;

typedef struct elementwise elementwise;

lab_status elementwise_make(elementwise **out, const elementwise_source *source);
void elementwise_free(elementwise *of);

/* Enqueues it; `size` as in operands_bind. */
lab_status elementwise_launch(elementwise *of, long long size, lab_stream *stream, lab_args args);

/* A kernel of the library's own, made on first use and kept: *kept is NULL before. */
lab_status elementwise_once(elementwise **out, _Atomic(elementwise *) *kept, const elementwise_source *source);

#endif
