/* Arrays: device memory with an element type and a shape, and copying whole ones. */
#include "array.h"

#include "handle.h"
#include "memory.h"

#include <stdlib.h>

struct array *array_get(const lab_array *handle) { return handle_get(HANDLE_ARRAY, (uintptr_t)handle); }

static lab_status resolve(struct array **out, const lab_array *handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = array_get(handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the array %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

/* Elements of a shape; fails if the shape is malformed or its bytes do not fit in a size_t. */
static lab_status count_elements(size_t *count, lab_shape shape, size_t element_bytes)
{
    if (shape.dimensions < 1 || shape.dimensions > LAB_MAX_DIMENSIONS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_empty: %d dimensions; an array has 1 to %d", shape.dimensions,
                        LAB_MAX_DIMENSIONS);
    size_t bytes = element_bytes;
    for (int i = 0; i < shape.dimensions; i++)
        if (shape.size[i] == 0) bytes = 0;
    for (int i = 0; i < shape.dimensions; i++)
        if (__builtin_mul_overflow(bytes, shape.size[i], &bytes))
            return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_empty: the shape has more elements than memory has bytes");
    *count = bytes / element_bytes;
    return LAB_SUCCESS;
}

/* The array's context ends, and the array with it; the memory goes with the context's other memory. */
static void end_with_context(context_member *member)
{
    struct array *ended = (struct array *)((char *)member - offsetof(struct array, member));
    handle_remove(HANDLE_ARRAY, (uintptr_t)ended->handle);
    free(ended);
}

lab_status lab_array_empty(lab_array **out, lab_dtype dtype, lab_shape shape)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_empty: out is NULL");
    *out = NULL;
    size_t element_bytes = lab_dtype_size(dtype);
    if (element_bytes == 0)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_empty: %d is no element type", (int)dtype);
    struct array *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_array_empty: no host memory for the array");
    made->dtype = dtype;
    made->shape = shape;
    uint64_t handle = 0;
    lab_status status = count_elements(&made->count, shape, element_bytes);
    if (status == LAB_SUCCESS) status = runtime_context(&made->context);
    if (status != LAB_SUCCESS) goto fail;
    made->bytes = made->count * element_bytes;
    if (made->bytes) status = memory_alloc_on(&made->data, made->context, made->bytes, "lab_array_empty");
    if (status != LAB_SUCCESS) goto fail;
    handle = handle_create(HANDLE_ARRAY, made);
    if (!handle) {
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "lab_array_empty: no host memory for the array");
        goto fail;
    }
    made->handle = *out = (lab_array *)(uintptr_t)handle;
    context_add(made->context, &made->member, end_with_context);
    return LAB_SUCCESS;
fail:
    lab_mem_free(made->data);
    free(made);
    return status;
}

lab_status lab_array_destroy(lab_array *handle)
{
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct array *removed = handle_remove(HANDLE_ARRAY, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_array_destroy: the array was already destroyed, or never created");
    context_remove(removed->context, &removed->member);
    lab_status status = lab_mem_free(removed->data);
    free(removed);
    return status;
}

lab_deviceptr lab_array_data(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->data : 0;
}

size_t lab_array_count(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->count : 0;
}

size_t lab_array_bytes(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->bytes : 0;
}

int lab_array_device(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->context->device : -1;
}

lab_dtype lab_array_dtype(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->dtype : 0;
}

lab_shape lab_array_shape(const lab_array *handle)
{
    const struct array *found = array_get(handle);
    return found ? found->shape : (lab_shape){0};
}

static lab_status copy_in(lab_array *handle, const void *host, lab_stream *stream, bool wait, const char *call)
{
    struct array *found;
    LAB_TRY(resolve(&found, handle, call));
    backend_copy copy = {BACKEND_COPY_HTOD, found->data, (uintptr_t)host, found->bytes, .wait = wait};
    return memory_copy(&copy, stream, call);
}

static lab_status copy_out(const lab_array *handle, void *host, lab_stream *stream, bool wait, const char *call)
{
    struct array *found;
    LAB_TRY(resolve(&found, handle, call));
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
