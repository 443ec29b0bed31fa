/* Arrays with contents: constructors, copies, fills and conversions, all made of elementwise kernels and copies. */
#include "array.h"
#include "contiguous.h"

#include "elementwise.h"
#include "objects/work/memory.h"

/* Destroys an array that could not be filled. */
static lab_status keep_if(lab_status status, lab_array **out)
{
    if (status == LAB_SUCCESS) return status;
    lab_array_destroy(*out); /* succeeds for a new array, so the error message stays */
    *out = NULL;
    return status;
}

/* Makes an array in the stream's context. */
static lab_status make(lab_array **out, lab_dtype dtype, lab_shape shape, lab_stream *stream, const char *call)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    struct stream *resolved;
    LAB_TRY(stream_resolve(&resolved, stream, call));
    return array_make(out, dtype, shape, resolved->context, call);
}

/* ---- fills ---- */

static lab_status fill(lab_array *array, lab_arg value, lab_stream *stream)
{
    static _Atomic(elementwise *) kept;
    static const lab_elementwise_source source = {"T value", "T out", "out = value", "fill", NULL, 0};
    elementwise *kernel;
    LAB_TRY(elementwise_once(&kernel, &kept, &source));
    return elementwise_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, stream, LAB_ARGS(value, array));
}

lab_status lab_array_fill(lab_array *handle, lab_arg value, lab_stream *stream)
{
    RETIRE_SCOPE;
    struct array *found;
    LAB_TRY(array_resolve(&found, handle, "lab_array_fill"));
    if (value.kind != LAB_ARG_INTEGER && value.kind != LAB_ARG_FLOAT && value.kind != LAB_ARG_POINTER)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_fill: the value is not a number");
    return fill(handle, value, stream);
}

lab_status lab_array_zeros(lab_array **out, lab_dtype dtype, lab_shape shape)
{
    RETIRE_SCOPE;
    LAB_TRY(make(out, dtype, shape, NULL, "lab_array_zeros"));
    struct array *made;
    LAB_TRY(array_resolve(&made, *out, "lab_array_zeros"));
    return keep_if(lab_memset_async(made->data, 0, made->bytes, NULL), out);
}

lab_status lab_array_ones(lab_array **out, lab_dtype dtype, lab_shape shape)
{
    RETIRE_SCOPE;
    LAB_TRY(make(out, dtype, shape, NULL, "lab_array_ones"));
    return keep_if(fill(*out, LAB_ARG(1), NULL), out);
}

lab_status lab_array_full(lab_array **out, lab_dtype dtype, lab_shape shape, lab_arg value)
{
    LAB_TRY(make(out, dtype, shape, NULL, "lab_array_full"));
    return keep_if(lab_array_fill(*out, value, NULL), out);
}

lab_status lab_array_arange(lab_array **out, lab_dtype dtype, size_t count, lab_arg start, lab_arg step)
{
    RETIRE_SCOPE;
    static _Atomic(elementwise *) kept[2];
    static const lab_elementwise_source source[2] = {
        {"T start, T step", "T out", "out = start + (T)i * step", "arange", NULL, 0},
        {"T start, T step", "T out", "out = start + (float)i * step", "arange", NULL, 0}};
    elementwise *kernel;
    LAB_TRY(make(out, dtype, LAB_SHAPE(count), NULL, "lab_array_arange"));
    const int narrow = dtype_narrow(dtype);
    lab_status status = elementwise_once(&kernel, &kept[narrow], &source[narrow]);
    if (status == LAB_SUCCESS)
        status = elementwise_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, NULL, LAB_ARGS(start, step, *out));
    return keep_if(status, out);
}

/* ---- copies ---- */

lab_status lab_array_from_host(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host)
{
    RETIRE_SCOPE;
    LAB_TRY(make(out, dtype, shape, lab_stream_null(), "lab_array_from_host"));
    struct array *made;
    LAB_TRY(array_resolve(&made, *out, "lab_array_from_host"));
    backend_copy copy = {BACKEND_COPY_HTOD, made->data,   (uintptr_t)host,
                         made->bytes,       .wait = true, .source_only = true};
    return keep_if(memory_copy(&copy, lab_stream_null(), "lab_array_from_host"), out);
}

lab_status lab_array_from_host_async(lab_array **out, lab_dtype dtype, lab_shape shape, const void *host,
                                     lab_stream *stream)
{
    RETIRE_SCOPE;
    LAB_TRY(make(out, dtype, shape, stream, "lab_array_from_host_async"));
    struct array *made;
    LAB_TRY(array_resolve(&made, *out, "lab_array_from_host_async"));
    backend_copy copy = {BACKEND_COPY_HTOD, made->data, (uintptr_t)host, made->bytes, .wait = false};
    return keep_if(memory_copy(&copy, stream, "lab_array_from_host_async"), out);
}

lab_status lab_array_astype(lab_array **out, const lab_array *handle, lab_dtype dtype, lab_stream *stream)
{
    RETIRE_SCOPE;
    static _Atomic(elementwise *) kept;
    static const lab_elementwise_source source = {"S x", "T out", "out = (T)x", "astype", NULL, 0};
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_astype: out is NULL");
    *out = NULL;
    struct array *original, *made;
    LAB_TRY(array_resolve(&original, handle, "lab_array_astype"));
    LAB_TRY(array_make(out, dtype, original->shape, original->context, "lab_array_astype"));
    if (dtype == original->dtype && !original->strided) {
        LAB_TRY(array_resolve(&made, *out, "lab_array_astype"));
        backend_copy copy = {BACKEND_COPY_DTOD, made->data, original->data, original->bytes, .wait = false};
        return keep_if(memory_copy(&copy, stream, "lab_array_astype"), out);
    }
    elementwise *kernel;
    lab_status status = elementwise_once(&kernel, &kept, &source);
    if (status == LAB_SUCCESS)
        status = elementwise_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, stream, LAB_ARGS(handle, *out));
    return keep_if(status, out);
}

lab_status lab_array_copy(lab_array **out, const lab_array *handle, lab_stream *stream)
{
    RETIRE_SCOPE;
    struct array *source, *made;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_copy: out is NULL");
    *out = NULL;
    LAB_TRY(array_resolve(&source, handle, "lab_array_copy"));
    LAB_TRY(array_make(out, source->dtype, source->shape, source->context, "lab_array_copy"));
    LAB_TRY(array_resolve(&made, *out, "lab_array_copy"));
    if (source->strided) return keep_if(contiguous_move(*out, handle, stream), out);
    backend_copy copy = {BACKEND_COPY_DTOD, made->data, source->data, source->bytes, .wait = false};
    return keep_if(memory_copy(&copy, stream, "lab_array_copy"), out);
}
