/* Reduction kernels above the seam, for what the library builds of them. */
#ifndef LAB_SRC_REDUCTION_H
#define LAB_SRC_REDUCTION_H

#include "operands.h"

typedef struct reduction reduction;

lab_status reduction_make(reduction **out, const lab_reduction_source *source);
void reduction_free(reduction *of);

/* Enqueues it; `size` and `axis` as in operands_bind_reduction. */
lab_status reduction_launch(reduction *of, long long size, int axis, lab_stream *stream, lab_args args);

/* A kernel of the library's own, made on first use and kept: *kept is NULL before. */
lab_status reduction_once(reduction **out, _Atomic(reduction *) *kept, const lab_reduction_source *source);

#endif
