/* Reduction kernels, for the library's own use. */
#ifndef LAB_ARRAYS_REDUCTION_H
#define LAB_ARRAYS_REDUCTION_H

#include "operands.h"

typedef struct reduction reduction;

/* reduction_make_foreign: the source has text of the program's. */
lab_status reduction_make(reduction **out, const lab_reduction_source *source);
lab_status reduction_make_foreign(reduction **out, const lab_reduction_source *source);
void reduction_free(reduction *kernel);

/* Enqueues the kernel; `size` and `axes` as in operands_bind_reduction. */
lab_status reduction_launch(reduction *kernel, long long size, lab_axes axes, lab_stream *stream, lab_args args);

/* Axes from the program: never OPERANDS_NO_AXES, even if the program gives that number. */
static inline lab_axes reduction_axes(lab_axes given)
{
    if (given.count < 0) given.count = 0;
    return given;
}

/* The order of combining, which backend.h describes: by lanes within tiles, whose size depends only on the number of
 * elements; then the tiles' values in the same way. */
enum { REDUCTION_LANES = 256, REDUCTION_MOST_TILES = 8192 };
size_t reduction_tile(size_t length);

/* A kernel of the library, created on first use and kept; *kept is NULL before. */
lab_status reduction_once(reduction **out, _Atomic(reduction *) *kept, const lab_reduction_source *source);

#endif
