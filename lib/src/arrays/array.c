/* Arrays: device memory with an element type and a shape, owned or given. */
#include "array.h"

#include "pools/allocator.h"
#include "base/handle.h"
#include "objects/contexts/context_stack.h"
#include "objects/work/memory.h"

#include <stdlib.h>

lab_status array_resolve(struct array **out, const lab_array *handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = array_get(handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the array %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

lab_status array_count_elements(size_t *count, lab_shape shape, size_t element_bytes, const char *call)
{
    if (shape.dimensions < 1 || shape.dimensions > LAB_MAX_DIMENSIONS)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %d dimensions; an array has 1 to %d", call, shape.dimensions,
                        LAB_MAX_DIMENSIONS);
    size_t bytes = element_bytes;
    for (int i = 0; i < shape.dimensions; i++)
        if (shape.size[i] == 0) bytes = 0;
    for (int i = 0; i < shape.dimensions; i++)
        if (__builtin_mul_overflow(bytes, shape.size[i], &bytes))
            return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: the shape has more elements than memory can hold", call);
    *count = bytes / element_bytes;
    return LAB_SUCCESS;
}

static lab_status no_host_memory(const char *call)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for the array", call);
}

/* The stream for new memory: the thread's current stream if it belongs to the array's context, else the null stream. */
static lab_status current_stream_of(struct stream **out, const struct context *context, const char *call)
{
    struct context *now;
    LAB_TRY(context_current(&now));
    return stream_resolve(out, now == context ? NULL : context->null_stream, call);
}

static lab_status allocate(struct storage *storage, const char *call)
{
    struct stream *stream;
    LAB_TRY(current_stream_of(&stream, storage->context, call));
    LAB_TRY(allocator_current(&storage->allocator, storage->context));
    storage->stream = stream->handle;
    lab_deviceptr address = 0;
    LAB_TRY(storage->allocator.alloc(&address, storage->bytes, storage->stream, storage->allocator.user));
    if (!address) return lab_fail(LAB_ERROR_UNKNOWN, "%s: the allocator reported success but gave no memory", call);
    storage->address = address;
    if (!memory_find_device(&storage->memory, address)) storage->memory = (range){0};
    return LAB_SUCCESS;
}

static lab_status give_back(const struct storage *storage)
{
    if (!storage->address || !storage->allocator.free) return LAB_SUCCESS;
    bool lives = handle_get(HANDLE_STREAM, (uintptr_t)storage->stream);
    return storage->allocator.free(storage->address, storage->bytes, lives ? storage->stream : NULL,
                                   storage->allocator.user);
}

static lab_status storage_make(struct storage **out, struct context *context, size_t bytes, const char *call)
{
    struct storage *made = calloc(1, sizeof *made);
    if (!made) return no_host_memory(call);
    atomic_init(&made->arrays, 1);
    made->context = context;
    made->bytes = bytes;
    lab_status status = bytes ? allocate(made, call) : LAB_SUCCESS;
    if (status == LAB_SUCCESS)
        *out = made;
    else
        free(made);
    return status;
}

static lab_status storage_drop(struct storage *storage)
{
    if (atomic_fetch_sub(&storage->arrays, 1) > 1) return LAB_SUCCESS;
    lab_status status = give_back(storage);
    retire(&storage->retired, retire_free);
    return status;
}

/* Takes a share for a view of an array that the call has found. */
static lab_status storage_share(struct storage *storage, const char *call)
{
    int arrays = atomic_load(&storage->arrays);
    while (arrays > 0 && !atomic_compare_exchange_weak(&storage->arrays, &arrays, arrays + 1)) {}
    if (arrays > 0) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: another thread destroyed the array during the call", call);
}

/* The array ends with its context; its memory is freed with the context's other memory. */
static void end_with_context(context_member *member)
{
    struct array *ended = (struct array *)((char *)member - offsetof(struct array, member));
    if (!handle_remove(HANDLE_ARRAY, (uintptr_t)ended->handle)) return;
    if (atomic_fetch_sub(&ended->storage->arrays, 1) == 1) retire(&ended->storage->retired, retire_free);
    retire(&ended->retired, retire_free);
}

/* Makes the handle of an array with these properties, which owns a share of the storage; drops the share on failure. */
static lab_status adopt(lab_array **out, const struct array *properties, const char *call)
{
    CONTEXT_HELD struct context *held = NULL;
    lab_status status = context_hold_found(&held, properties->context, call);
    struct array *made = status == LAB_SUCCESS ? malloc(sizeof *made) : NULL;
    if (made) {
        *made = *properties;
        context_add(made->context, &made->member, end_with_context);
        made->handle = *out = (lab_array *)(uintptr_t)handle_create(HANDLE_ARRAY, made);
    }
    if (made && made->handle) return LAB_SUCCESS;
    if (made) context_remove(made->context, &made->member);
    free(made);
    storage_drop(properties->storage);
    return status == LAB_SUCCESS ? no_host_memory(call) : status;
}

void array_measure(struct array *array)
{
    const size_t element_bytes = lab_dtype_size(array->dtype);
    size_t last = 0, side_by_side = 1;
    array->strided = false;
    for (int i = array->shape.dimensions - 1; i >= 0 && array->count > 0; i--) {
        const size_t size = array->shape.size[i];
        last += (size - 1) * array->stride[i];
        if (size > 1 && array->stride[i] != side_by_side) array->strided = true;
        side_by_side *= size;
    }
    array->bytes = array->count * element_bytes;
    array->span = array->count ? (last + 1) * element_bytes : 0;
}

void array_lay_out(struct array *array)
{
    size_t stride = 1;
    for (int i = array->shape.dimensions - 1; i >= 0; i--) {
        array->stride[i] = stride;
        stride *= array->shape.size[i];
    }
    array_measure(array);
}

/* An array without memory and context. */
static lab_status describe(struct array *made, lab_dtype dtype, lab_shape shape, const char *call)
{
    const size_t element_bytes = lab_dtype_size(dtype);
    *made = (struct array){.dtype = dtype, .shape = shape};
    if (element_bytes == 0) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: %d is not an element type", call, (int)dtype);
    LAB_TRY(array_count_elements(&made->count, shape, element_bytes, call));
    array_lay_out(made);
    return LAB_SUCCESS;
}

lab_status array_make(lab_array **out, lab_dtype dtype, lab_shape shape, struct context *context, const char *call)
{
    struct array made;
    LAB_TRY(describe(&made, dtype, shape, call));
    made.context = context;
    LAB_TRY(storage_make(&made.storage, context, made.bytes, call));
    made.data = made.storage->address;
    return adopt(out, &made, call);
}

lab_status lab_array_empty(lab_array **out, lab_dtype dtype, lab_shape shape)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_empty: out is NULL");
    *out = NULL;
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    return array_make(out, dtype, shape, context, "lab_array_empty");
}

static lab_status find_given(struct context **out, lab_deviceptr memory, const struct array *made)
{
    range found;
    const size_t element_bytes = lab_dtype_size(made->dtype);
    if (!memory_find_device(&found, memory))
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_from_memory: 0x%llx is not device memory; was it freed?",
                        memory);
    if (made->bytes > found.address + found.bytes - memory)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_array_from_memory: the array needs %zu bytes; its memory has %zu from 0x%llx on",
                        made->bytes, (size_t)(found.address + found.bytes - memory), memory);
    if (memory % element_bytes)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_array_from_memory: 0x%llx is not a multiple of %zu, the size of %s", memory, element_bytes,
                        lab_dtype_name(made->dtype));
    *out = found.context;
    return LAB_SUCCESS;
}

lab_status lab_array_from_memory(lab_array **out, lab_dtype dtype, lab_shape shape, lab_deviceptr memory,
                                 const lab_allocator *owner)
{
    RETIRE_SCOPE;
    struct array made;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_from_memory: out is NULL");
    *out = NULL;
    if (owner && !owner->free)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_array_from_memory: the owner has no free function");
    LAB_TRY(runtime_check());
    LAB_TRY(describe(&made, dtype, shape, "lab_array_from_memory"));
    LAB_TRY(find_given(&made.context, memory, &made));
    made.storage = calloc(1, sizeof *made.storage);
    if (!made.storage) return no_host_memory("lab_array_from_memory");
    *made.storage = (struct storage){.address = memory, .bytes = made.bytes, .context = made.context, .given = true};
    atomic_init(&made.storage->arrays, 1);
    made.data = made.bytes ? memory : 0;
    struct storage *const storage = made.storage;
    lab_status status = adopt(out, &made, "lab_array_from_memory");
    if (status == LAB_SUCCESS && owner) storage->allocator = *owner;
    return status;
}

lab_status lab_array_destroy(lab_array *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct array *removed = handle_remove(HANDLE_ARRAY, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_array_destroy: the array was already destroyed, or never created");
    context_remove(removed->context, &removed->member);
    lab_status status = storage_drop(removed->storage);
    retire(&removed->retired, retire_free);
    return status;
}

lab_status array_view(lab_array **out, const struct array *view, const char *call)
{
    LAB_TRY(storage_share(view->storage, call));
    return adopt(out, view, call);
}

lab_deviceptr lab_array_data(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->data : 0;
}

size_t lab_array_count(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->count : 0;
}

size_t lab_array_bytes(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->bytes : 0;
}

int lab_array_device(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->context->device : -1;
}

lab_dtype lab_array_dtype(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->dtype : 0;
}

lab_shape lab_array_shape(const lab_array *handle)
{
    RETIRE_SCOPE;
    const struct array *found = array_get(handle);
    return found ? found->shape : (lab_shape){0};
}
