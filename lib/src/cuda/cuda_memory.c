/* Memory of the CUDA devices: allocations, pinned host memory, copies and fills. */
#include "cuda_device_state.h"

lab_status cuda_memory_alloc(uint64_t *address, backend_context *context, size_t bytes)
{
    LAB_TRY(cuda_enter(context));
    CUdeviceptr memory;
    CUresult result = cuda.cuMemAlloc(&memory, bytes);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        size_t free_bytes = 0, total = 0;
        cuda.cuMemGetInfo(&free_bytes, &total);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "device %d: %zu bytes asked for, %zu of %zu are free", context->device,
                        bytes, free_bytes, total);
    }
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuMemAlloc");
    *address = memory;
    return LAB_SUCCESS;
}

lab_status cuda_memory_free(backend_context *context, uint64_t address, size_t bytes)
{
    (void)bytes;
    LAB_TRY(cuda_enter(context));
    CUDA_TRY(cuMemFree, address);
    return LAB_SUCCESS;
}

lab_status cuda_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context)
{
    LAB_TRY(cuda_enter(context));
    CUDA_TRY(cuMemGetInfo, free_bytes, total_bytes);
    return LAB_SUCCESS;
}

lab_status cuda_host_alloc(void **out, backend_context *context, size_t bytes)
{
    LAB_TRY(cuda_enter(context));
    CUresult result = cuda.cuMemHostAlloc(out, bytes, CU_MEMHOSTALLOC_PORTABLE);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "cannot allocate %zu bytes of pinned host memory", bytes);
    return cuda_status(result, "cuMemHostAlloc");
}

lab_status cuda_host_free(backend_context *context, void *memory, size_t bytes)
{
    (void)bytes;
    LAB_TRY(cuda_enter(context));
    CUDA_TRY(cuMemFreeHost, memory);
    return LAB_SUCCESS;
}

lab_status cuda_host_register(backend_context *context, void *memory, size_t bytes)
{
    LAB_TRY(cuda_enter(context));
    CUresult result = cuda.cuMemHostRegister(memory, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_OPERATING_SYSTEM ||
        result == CUDA_ERROR_NOT_SUPPORTED)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_host_register: part of the %zu bytes at %p is not memory of this process, or cannot be "
                        "pinned (cuMemHostRegister: %s)",
                        bytes, memory, cuda_error_name(result));
    return cuda_status(result, "cuMemHostRegister");
}

lab_status cuda_host_unregister(backend_context *context, void *memory, size_t bytes)
{
    (void)bytes;
    LAB_TRY(cuda_enter(context));
    CUDA_TRY(cuMemHostUnregister, memory);
    return LAB_SUCCESS;
}

/* Uses the driver's synchronous calls: the driver chooses what they wait for with pageable memory. */
static CUresult copy_on_null_stream(const backend_copy *copy)
{
    return copy->kind == BACKEND_COPY_HTOD
               ? cuda.cuMemcpyHtoD(copy->destination, (const void *)(uintptr_t)copy->source, copy->bytes)
               : cuda.cuMemcpyDtoH((void *)(uintptr_t)copy->destination, copy->source, copy->bytes);
}

/* For an upload of up to 24 KiB (at least), the driver reads pinned memory before the call returns if it considers the
 * stream idle. It does so even if the null stream's rule orders the stream after work that waits for a host function
 * (an H200, driver 580.159.04), and would then read data that is not written yet. A stream that waits for its own
 * `moment` does not count as idle. */
static CUresult come_after_host_functions(backend_stream *stream, const backend_copy *copy)
{
    if (copy->kind != BACKEND_COPY_HTOD || !copy->pinned) return CUDA_SUCCESS;
    if (!atomic_load(&stream->context->calls_host) || cuda_is_captured(stream)) return CUDA_SUCCESS;
    const CUresult result = cuda_stream_mark(stream);
    return result == CUDA_SUCCESS ? cuda.cuStreamWaitEvent(stream->native, stream->moment, 0) : result;
}

static CUresult enqueue_copy(backend_stream *stream, const backend_copy *copy)
{
    const CUresult result = come_after_host_functions(stream, copy);
    const CUstream native = stream->native;
    if (result != CUDA_SUCCESS) return result;
    switch (copy->kind) {
    case BACKEND_COPY_HTOD:
        return cuda.cuMemcpyHtoDAsync(copy->destination, (const void *)(uintptr_t)copy->source, copy->bytes, native);
    case BACKEND_COPY_DTOH:
        return cuda.cuMemcpyDtoHAsync((void *)(uintptr_t)copy->destination, copy->source, copy->bytes, native);
    case BACKEND_COPY_DTOD: break;
    }
    return cuda.cuMemcpyDtoDAsync(copy->destination, copy->source, copy->bytes, native);
}

static lab_status note_copy(backend_stream *stream, const backend_copy *copy)
{
    static const lab_graph_node_kind kind[] = {[BACKEND_COPY_HTOD] = LAB_NODE_COPY_HTOD,
                                               [BACKEND_COPY_DTOH] = LAB_NODE_COPY_DTOH,
                                               [BACKEND_COPY_DTOD] = LAB_NODE_COPY_DTOD};
    return cuda_capture_note(stream,
                             &(cuda_captured){.node = {.kind = kind[copy->kind], .name = "", .bytes = copy->bytes}});
}

static void tell_enqueued(const backend_copy *copy)
{
    if (copy->enqueued.call) copy->enqueued.call(copy->enqueued.user);
}

/* A call in which the driver may wait has its place in the order when it is made: it must not block other threads until
 * it returns. */
lab_status cuda_copy(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    cuda_span span = cuda_span_begin(stream, times);
    bool by_driver = copy->wait && stream->null && copy->kind != BACKEND_COPY_DTOD;
    bool may_wait = by_driver || (copy->kind != BACKEND_COPY_DTOD && !copy->pinned);
    if (may_wait) tell_enqueued(copy);
    CUresult result = by_driver ? copy_on_null_stream(copy) : enqueue_copy(stream, copy);
    if (!may_wait && result == CUDA_SUCCESS) tell_enqueued(copy);
    cuda_span_end(&span, stream, result);
    if (result != CUDA_SUCCESS) return cuda_fail(result, by_driver ? "cuMemcpy" : "cuMemcpyAsync");
    if (cuda_capture_possible()) LAB_TRY(note_copy(stream, copy));
    return copy->wait && !by_driver ? cuda_stream_synchronize(stream) : LAB_SUCCESS;
}

lab_status cuda_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                     backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    cuda_span span = cuda_span_begin(stream, times);
    CUresult result = cuda.cuMemsetD8Async(destination, value, bytes, stream->native);
    cuda_span_end(&span, stream, result);
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuMemsetD8Async");
    if (cuda_capture_possible())
        return cuda_capture_note(stream, &(cuda_captured){.node = {.kind = LAB_NODE_FILL, .name = "", .bytes = bytes}});
    return LAB_SUCCESS;
}

/* Does nothing: the contents stay until the memory has a new owner. */
bool cuda_memory_left(backend_stream *stream, uint64_t address, size_t bytes)
{
    (void)stream, (void)address, (void)bytes;
    return false;
}
