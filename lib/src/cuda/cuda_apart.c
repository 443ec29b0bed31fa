/* The backend's entries for a program in another process. */
#include "cuda_apart.h"

#include "base/program/host_memory.h"

static lab_backend apart;         /* the entries */
static const lab_backend *direct; /* the same for a program in this process */

/* ---- Pinned memory ---- */

static lab_status refuse(CUresult result, const char *call, size_t bytes, uint64_t address)
{
    if (result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_OPERATING_SYSTEM &&
        result != CUDA_ERROR_NOT_SUPPORTED)
        return cuda_fail(result, "cuMemHostRegister");
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "%s: part of the %zu bytes at 0x%llx cannot be pinned (cuMemHostRegister: %s)", call, bytes,
                    (unsigned long long)address, cuda_error_name(result));
}

/* Pins memory that exists. Kernels may use what has the same address in this process: it is mapped. */
static lab_status pin(backend_context *context, uint64_t address, size_t bytes, const char *call)
{
    LAB_TRY(cuda_enter(context));
    void *local = host_memory_local(address, bytes);
    if (!local) return cuda_bounce_open(address, bytes, false);
    const CUresult result =
        cuda.cuMemHostRegister(local, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
    if (result != CUDA_SUCCESS) return refuse(result, call, bytes, address);
    const lab_status status = cuda_bounce_open(address, bytes, true);
    if (status != LAB_SUCCESS) CUDA_TRY(cuMemHostUnregister, local);
    return status;
}

/* Waits for the context's work first: the driver may still copy from or to the memory. */
static lab_status unpin(backend_context *context, uint64_t address, size_t bytes)
{
    cuda_context_wait(context);
    LAB_TRY(cuda_enter(context));
    if (cuda_bounce_close(address)) return LAB_SUCCESS;
    void *local = host_memory_local(address, bytes);
    if (local) CUDA_TRY(cuMemHostUnregister, local);
    return LAB_SUCCESS;
}

static lab_status apart_host_alloc(void **out, backend_context *context, size_t bytes)
{
    uint64_t address;
    if (!host_memory_pinned_alloc(&address, bytes))
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "cannot allocate %zu bytes of pinned host memory", bytes);
    const lab_status status = pin(context, address, bytes, "lab_host_alloc");
    if (status == LAB_SUCCESS)
        *out = (void *)(uintptr_t)address;
    else
        host_memory_pinned_free(address, bytes);
    return status;
}

static lab_status apart_host_free(backend_context *context, void *memory, size_t bytes)
{
    const lab_status status = unpin(context, (uintptr_t)memory, bytes);
    host_memory_pinned_free((uintptr_t)memory, bytes);
    return status;
}

static lab_status apart_host_register(backend_context *context, void *memory, size_t bytes)
{
    if (host_memory_exists((uintptr_t)memory, bytes))
        return pin(context, (uintptr_t)memory, bytes, "lab_host_register");
    return lab_fail(LAB_ERROR_INVALID_VALUE,
                    "lab_host_register: part of the %zu bytes at %p is not memory of this process", bytes, memory);
}

static lab_status apart_host_unregister(backend_context *context, void *memory, size_t bytes)
{
    return unpin(context, (uintptr_t)memory, bytes);
}

/* ---- Entries that enqueue ---- */

static lab_status apart_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                             backend_times *times)
{
    LAB_TRY(cuda_check());
    return direct->fill(stream, destination, value, bytes, times);
}

static lab_status apart_launch(backend_stream *stream, const backend_launch *launch, backend_times *times)
{
    LAB_TRY(cuda_check());
    return direct->launch(stream, launch, times);
}

static lab_status apart_exec_launch(backend_exec *exec, backend_stream *stream, backend_times *times)
{
    LAB_TRY(cuda_check());
    return direct->exec_launch(exec, stream, times);
}

static lab_status apart_event_record(backend_event *event, backend_stream *stream, backend_times *times)
{
    LAB_TRY(cuda_check());
    return direct->event_record(event, stream, times);
}

static lab_status apart_stream_wait_event(backend_stream *stream, backend_event *event)
{
    LAB_TRY(cuda_check());
    return direct->stream_wait_event(stream, event);
}

static lab_status apart_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times)
{
    const lab_status status = cuda_check();
    if (status == LAB_SUCCESS) return direct->host_function(stream, call, times);
    call->release(call->user);
    return status;
}

static lab_status apart_memory_alloc(uint64_t *address, backend_context *context, size_t bytes)
{
    LAB_TRY(cuda_check());
    return direct->memory_alloc(address, context, bytes);
}

static lab_status apart_copy(backend_stream *stream, const backend_copy *copy, backend_times *times)
{
    LAB_TRY(cuda_check());
    LAB_TRY(copy->kind == BACKEND_COPY_DTOD ? direct->copy(stream, copy, times) : cuda_apart_copy(stream, copy, times));
    return cuda_check();
}

/* ---- Entries that wait, or ask whether work is done ---- */

static lab_status apart_stream_synchronize(backend_stream *stream)
{
    LAB_TRY(direct->stream_synchronize(stream));
    return cuda_check();
}

static lab_status apart_stream_query(backend_stream *stream)
{
    LAB_TRY(direct->stream_query(stream));
    return cuda_check();
}

static lab_status apart_event_synchronize(backend_event *event)
{
    LAB_TRY(direct->event_synchronize(event));
    return cuda_check();
}

static lab_status apart_event_query(backend_event *event)
{
    LAB_TRY(direct->event_query(event));
    return cuda_check();
}

static lab_status apart_context_synchronize(backend_context *context)
{
    LAB_TRY(direct->context_synchronize(context));
    return cuda_check();
}

static lab_status apart_context_wait(backend_context *context)
{
    LAB_TRY(direct->context_wait(context));
    return cuda_check();
}

const lab_backend *cuda_apart_backend(const lab_backend *table)
{
    direct = table;
    apart = *table;
    apart.host_alloc = apart_host_alloc;
    apart.host_free = apart_host_free;
    apart.host_register = apart_host_register;
    apart.host_unregister = apart_host_unregister;
    apart.copy = apart_copy;
    apart.fill = apart_fill;
    apart.launch = apart_launch;
    apart.exec_launch = apart_exec_launch;
    apart.event_record = apart_event_record;
    apart.stream_wait_event = apart_stream_wait_event;
    apart.host_function = apart_host_function;
    apart.memory_alloc = apart_memory_alloc;
    apart.stream_synchronize = apart_stream_synchronize;
    apart.stream_query = apart_stream_query;
    apart.event_synchronize = apart_event_synchronize;
    apart.event_query = apart_event_query;
    apart.context_synchronize = apart_context_synchronize;
    apart.context_wait = apart_context_wait;
    return &apart;
}
