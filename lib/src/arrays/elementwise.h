/* Elementwise kernels, for the library's own use. */
#ifndef LAB_ARRAYS_ELEMENTWISE_H
#define LAB_ARRAYS_ELEMENTWISE_H

#include "operands.h"

typedef struct elementwise elementwise;

/* elementwise_make_foreign: the source has text of the program's. */
lab_status elementwise_make(elementwise **out, const lab_elementwise_source *source);
lab_status elementwise_make_foreign(elementwise **out, const lab_elementwise_source *source);
void elementwise_free(elementwise *kernel);

/* Enqueues the kernel; `size` as in operands_bind. */
lab_status elementwise_launch(elementwise *kernel, long long size, lab_stream *stream, lab_args args);

/* A kernel of the library, created on first use and kept; *kept is NULL before. */
lab_status elementwise_once(elementwise **out, _Atomic(elementwise *) *kept, const lab_elementwise_source *source);

#endif
