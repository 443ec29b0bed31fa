/* Copies between arrays and the host, whole and of one element. */
#include "array.h"
#include "contiguous.h"

#include "objects/work/memory.h"

/* Copies to an array whose elements are apart: side by side at first, then spread by a kernel. */
static lab_status spread(lab_array *to, const struct array *found, const void *host, struct stream *stream, bool wait,
                         const char *call)
{
    contiguous between;
    LAB_TRY(contiguous_make(&between, found->dtype, found->shape, stream));
    backend_copy copy = {BACKEND_COPY_HTOD,  lab_array_data(between.array), (uintptr_t)host, found->bytes, .wait = wait,
                         .source_only = wait};
    lab_status status = memory_copy(&copy, stream->handle, call);
    if (status == LAB_SUCCESS) status = contiguous_move(to, between.array, stream->handle);
    contiguous_end(&between, stream);
    return status;
}

static lab_status copy_in(lab_array *handle, const void *host, lab_stream *stream, bool wait, const char *call)
{
    RETIRE_SCOPE;
    struct array *found;
    struct stream *resolved;
    LAB_TRY(array_resolve(&found, handle, call));
    if (found->strided) {
        LAB_TRY(stream_resolve(&resolved, stream, call));
        return spread(handle, found, host, resolved, wait, call);
    }
    backend_copy copy = {BACKEND_COPY_HTOD, found->data,  (uintptr_t)host,
                         found->bytes,      .wait = wait, .source_only = wait};
    return memory_copy(&copy, stream, call);
}

/* Copies from an array whose elements are apart: a kernel gathers them first. */
static lab_status gather(void *host, const lab_array *from, const struct array *found, struct stream *stream, bool wait,
                         const char *call)
{
    contiguous between;
    LAB_TRY(contiguous_of(&between, from, stream));
    backend_copy copy = {BACKEND_COPY_DTOH, (uintptr_t)host, lab_array_data(between.array), found->bytes, .wait = wait};
    const lab_status status = memory_copy(&copy, stream->handle, call);
    contiguous_end(&between, stream);
    return status;
}

static lab_status copy_out(const lab_array *handle, void *host, lab_stream *stream, bool wait, const char *call)
{
    RETIRE_SCOPE;
    struct array *found;
    struct stream *resolved;
    LAB_TRY(array_resolve(&found, handle, call));
    if (found->strided) {
        LAB_TRY(stream_resolve(&resolved, stream, call));
        return gather(host, handle, found, resolved, wait, call);
    }
    backend_copy copy = {BACKEND_COPY_DTOH, (uintptr_t)host, found->data, found->bytes, .wait = wait};
    return memory_copy(&copy, stream, call);
}

lab_status lab_array_set(lab_array *handle, const void *host)
{
    return copy_in(handle, host, lab_stream_null(), true, "lab_array_set");
}

lab_status lab_array_get(const lab_array *handle, void *host)
{
    return copy_out(handle, host, lab_stream_null(), true, "lab_array_get");
}

lab_status lab_array_set_async(lab_array *handle, const void *host, lab_stream *stream)
{
    return copy_in(handle, host, stream, false, "lab_array_set_async");
}

lab_status lab_array_get_async(const lab_array *handle, void *host, lab_stream *stream)
{
    return copy_out(handle, host, stream, false, "lab_array_get_async");
}

/* The address and size of an element; fails if there is no such element. */
static lab_status find_element(uint64_t *address, size_t *bytes, const lab_array *handle, size_t index,
                               const char *call)
{
    struct array *found;
    LAB_TRY(array_resolve(&found, handle, call));
    if (index >= found->count)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: there is no element %zu; the array has %zu, numbered from 0",
                        call, index, found->count);
    size_t place = 0;
    for (int i = found->shape.dimensions - 1; i >= 0; index /= found->shape.size[i--])
        place += index % found->shape.size[i] * found->stride[i];
    *bytes = lab_dtype_size(found->dtype);
    *address = found->data + place * *bytes;
    return LAB_SUCCESS;
}

lab_status lab_array_get_item(const lab_array *handle, size_t index, void *value)
{
    RETIRE_SCOPE;
    backend_copy copy = {.kind = BACKEND_COPY_DTOH, .destination = (uintptr_t)value, .wait = true};
    LAB_TRY(find_element(&copy.source, &copy.bytes, handle, index, "lab_array_get_item"));
    return memory_copy(&copy, NULL, "lab_array_get_item");
}

lab_status lab_array_set_item(lab_array *handle, size_t index, const void *value)
{
    RETIRE_SCOPE;
    backend_copy copy = {.kind = BACKEND_COPY_HTOD, .source = (uintptr_t)value, .wait = true};
    LAB_TRY(find_element(&copy.destination, &copy.bytes, handle, index, "lab_array_set_item"));
    return memory_copy(&copy, NULL, "lab_array_set_item");
}
