/* Contiguous arrays in workspaces, for work that needs the elements of an array side by side, or values in between. */
#ifndef LAB_ARRAYS_CONTIGUOUS_H
#define LAB_ARRAYS_CONTIGUOUS_H

#include "array.h"
#include "pools/workspace.h"

typedef struct contiguous {
    workspace *space;
    lab_array *array;
} contiguous;

/* Makes one with undefined contents, or with those of an array; its work is enqueued on the stream. On failure there is
 * nothing to end. */
lab_status contiguous_make(contiguous *out, lab_dtype dtype, lab_shape shape, const struct stream *stream);
lab_status contiguous_of(contiguous *out, const lab_array *array, const struct stream *stream);

/* Copies the elements of one array to another of its shape and type, whatever their strides. */
lab_status contiguous_move(const lab_array *to, const lab_array *from, lab_stream *stream);

/* Ends it, once the work that uses it is enqueued. One that is all 0 is accepted. */
void contiguous_end(contiguous *ended, const struct stream *stream);

#endif
