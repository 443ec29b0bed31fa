/* Streams of the CUDA devices. The driver keeps their order. */
#include "cuda_device_state.h"

#include <stdlib.h>

/* The least and greatest priority of each device's streams, read when the device gets a context. */
static struct {
    int least, greatest;
} priorities[64];

void cuda_stream_note_priorities(int device)
{
    cuda.cuCtxGetStreamPriorityRange(&priorities[device].least, &priorities[device].greatest);
}

void cuda_stream_priorities(int *least, int *greatest, int device)
{
    *least = priorities[device].least;
    *greatest = priorities[device].greatest;
}

backend_stream *cuda_stream_null(backend_context *context) { return &context->null_stream; }

static void list(backend_stream *made)
{
    backend_context *context = made->context;
    pthread_mutex_lock(&context->lock);
    made->previous = &context->streams;
    made->next = context->streams.next;
    made->next->previous = made->previous->next = made;
    pthread_mutex_unlock(&context->lock);
}

lab_status cuda_stream_create(backend_stream **out, backend_context *context, unsigned flags, int priority)
{
    LAB_TRY(cuda_enter(context));
    backend_stream *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    made->context = context;
    CUresult result = cuda.cuStreamCreateWithPriority(&made->native, flags, priority);
    if (result != CUDA_SUCCESS) {
        free(made);
        return cuda_fail(result, "cuStreamCreateWithPriority");
    }
    list(made);
    *out = made;
    return LAB_SUCCESS;
}

/* The handle of the per-thread default stream is the same in all threads, so it names no particular stream. */
lab_status cuda_stream_wrap(backend_stream **out, backend_context *context, void *native, unsigned *flags,
                            int *priority)
{
    LAB_TRY(cuda_enter(context));
    CUcontext owner = NULL;
    if (!native || native == (void *)CU_STREAM_PER_THREAD) return LAB_ERROR_INVALID_HANDLE;
    if (cuda.cuStreamGetCtx(native, &owner) != CUDA_SUCCESS || owner != context->native)
        return LAB_ERROR_INVALID_HANDLE;
    CUDA_TRY(cuStreamGetFlags, native, flags);
    CUDA_TRY(cuStreamGetPriority, native, priority);
    backend_stream *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    *made = (backend_stream){.context = context, .native = native, .foreign = true};
    list(made);
    *out = made;
    return LAB_SUCCESS;
}

lab_status cuda_stream_destroy(backend_stream *stream)
{
    backend_context *context = stream->context;
    LAB_TRY(cuda_enter(context));
    cuda_capture_leave(stream);
    pthread_mutex_lock(&context->lock);
    stream->next->previous = stream->previous;
    stream->previous->next = stream->next;
    pthread_mutex_unlock(&context->lock);
    if (stream->moment) cuda.cuEventDestroy(stream->moment);
    CUresult result = stream->foreign ? CUDA_SUCCESS : cuda.cuStreamDestroy(stream->native);
    retire(&stream->retired, retire_free);
    return cuda_status(result, "cuStreamDestroy");
}

void *cuda_stream_native(backend_stream *stream) { return stream->native; }

lab_status cuda_stream_synchronize(backend_stream *stream)
{
    LAB_TRY(cuda_enter(stream->context));
    const CUstream native = stream->native;
    const bool paused = retire_pause();
    const CUresult result = cuda.cuStreamSynchronize(native);
    retire_resume(paused);
    return cuda_status(result, "cuStreamSynchronize");
}

lab_status cuda_stream_query(backend_stream *stream)
{
    LAB_TRY(cuda_enter(stream->context));
    CUDA_TRY(cuStreamQuery, stream->native);
    return LAB_SUCCESS;
}

CUresult cuda_stream_mark(backend_stream *stream)
{
    CUevent made = NULL, none = NULL;
    CUresult result = atomic_load(&stream->moment) ? CUDA_SUCCESS : cuda.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING);
    if (result != CUDA_SUCCESS) return result;
    if (made && !atomic_compare_exchange_strong(&stream->moment, &none, made)) cuda.cuEventDestroy(made);
    return cuda.cuEventRecord(stream->moment, stream->native);
}

lab_status cuda_stream_wait_event(backend_stream *stream, backend_event *event)
{
    LAB_TRY(cuda_enter(stream->context));
    CUDA_TRY(cuStreamWaitEvent, stream->native, event->native, 0);
    return LAB_SUCCESS;
}
