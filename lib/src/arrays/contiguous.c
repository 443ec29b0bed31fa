/* Contiguous arrays in workspaces. */
#include "contiguous.h"

#include "elementwise.h"

lab_status contiguous_make(contiguous *out, lab_dtype dtype, lab_shape shape, const struct stream *stream)
{
    size_t count;
    *out = (contiguous){NULL, NULL};
    LAB_TRY(array_count_elements(&count, shape, lab_dtype_size(dtype), "an array in between"));
    LAB_TRY(workspace_take(&out->space, count * lab_dtype_size(dtype), stream));
    const lab_status status =
        lab_array_from_memory(&out->array, dtype, shape, workspace_address(out->space) + WORKSPACE_ZEROS, NULL);
    if (status != LAB_SUCCESS) contiguous_end(out, stream);
    return status;
}

lab_status contiguous_move(const lab_array *to, const lab_array *from, lab_stream *stream)
{
    static _Atomic(elementwise *) kept;
    static const lab_elementwise_source source = {"T x", "T out", "out = x", "copy", NULL, 0};
    elementwise *kernel;
    LAB_TRY(elementwise_once(&kernel, &kept, &source));
    return elementwise_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, stream, LAB_ARGS(from, to));
}

lab_status contiguous_of(contiguous *out, const lab_array *handle, const struct stream *stream)
{
    struct array *found;
    *out = (contiguous){NULL, NULL};
    LAB_TRY(array_resolve(&found, handle, "an array in between"));
    LAB_TRY(contiguous_make(out, found->dtype, found->shape, stream));
    const lab_status status = contiguous_move(out->array, handle, stream->handle);
    if (status != LAB_SUCCESS) contiguous_end(out, stream);
    return status;
}

void contiguous_end(contiguous *ended, const struct stream *stream)
{
    lab_array_destroy(ended->array); /* succeeds, so an error message stays */
    workspace_give(ended->space, stream);
    *ended = (contiguous){NULL, NULL};
}
