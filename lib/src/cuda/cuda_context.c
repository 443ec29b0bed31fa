/* Contexts of the CUDA devices: their creation, end and reset, and the use of their memory by other contexts. */
#include "cuda_device_state.h"

#include <stdlib.h>

static _Atomic uint64_t last_serial;

/* Gets the native context and what every context needs. */
static lab_status begin(backend_context *made)
{
    CUdevice device = cuda_native_device(made->device);
    made->serial = atomic_fetch_add(&last_serial, 1) + 1;
    if (made->primary) {
        CUDA_TRY(cuDevicePrimaryCtxRetain, &made->native, device);
    } else {
        CUresult result = cuda.create_context(&made->native, 0, device);
        if (result != CUDA_SUCCESS) return cuda_fail(result, "cuCtxCreate");
        /* The driver pushed it; this library makes contexts current itself. */
        CUcontext popped;
        cuda.cuCtxPopCurrent(&popped);
    }
    LAB_TRY(cuda_enter(made));
    cuda_stream_note_priorities(made->device);
    CUDA_TRY(cuEventCreate, &made->probe, CU_EVENT_DISABLE_TIMING);
    return LAB_SUCCESS;
}

/* Releases the native context. */
static void end(backend_context *ended)
{
    if (!ended->native) return;
    if (ended->primary) {
        cuda.cuDevicePrimaryCtxRelease(cuda_native_device(ended->device));
    } else {
        cuda.cuCtxDestroy(ended->native);
    }
    if (cuda_entered == ended->serial) cuda_entered = 0;
}

static lab_status make(backend_context **out, int device, bool primary)
{
    backend_context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context on device %d", device);
    made->device = device;
    made->primary = primary;
    made->null_stream = (backend_stream){.context = made, .native = CU_STREAM_LEGACY, .null = true};
    made->streams.next = made->streams.previous = &made->streams;
    pthread_mutex_init(&made->lock, NULL);
    lab_status status = begin(made);
    if (status != LAB_SUCCESS) {
        end(made);
        pthread_mutex_destroy(&made->lock);
        free(made);
        return status;
    }
    cuda_contexts_add(made);
    *out = made;
    return LAB_SUCCESS;
}

lab_status cuda_context_primary(backend_context **out, int device) { return make(out, device, true); }

lab_status cuda_context_create(backend_context **out, int device) { return make(out, device, false); }

static void release(retired *object)
{
    backend_context *context = (backend_context *)object;
    pthread_mutex_destroy(&context->lock);
    free(context);
}

void cuda_context_destroy(backend_context *context)
{
    cuda_contexts_remove(context);
    end(context);
    cuda_host_calls_drop(context);
    retire(&context->retired, release);
}

/* A primary context that is reset and retained again is a new context with the same handle. If retaining fails, every
 * call in it reports that. */
lab_status cuda_context_reset(backend_context *context)
{
    CUdevice device = cuda_native_device(context->device);
    cuda_contexts_remove(context);
    cuda.cuDevicePrimaryCtxReset(device);
    cuda.cuDevicePrimaryCtxRelease(device);
    cuda_host_calls_drop(context);
    context->visitors = NULL;
    context->null_stream.moment = NULL;
    cuda_entered = 0;
    lab_status status = begin(context);
    cuda_contexts_add(context);
    return status;
}

/* Waits for the driver's current context. */
static lab_status wait(void)
{
    const bool paused = retire_pause();
    const CUresult result = cuda.cuCtxSynchronize();
    retire_resume(paused);
    return cuda_status(result, "cuCtxSynchronize");
}

lab_status cuda_context_synchronize(backend_context *context)
{
    LAB_TRY(cuda_enter(context));
    return wait();
}

/* A capture forbids waiting for its context in every mode. The relaxed mode allows freeing memory, which waits for the
 * same work. */
static CUresult wait_by_freeing(void)
{
    CUdeviceptr memory;
    CUresult result = cuda.cuMemAlloc(&memory, 1);
    return result == CUDA_SUCCESS ? cuda.cuMemFree(memory) : result;
}

static lab_status wait_beside_captures(void)
{
    CUresult result;
    CUDA_RELAXED(result, wait_by_freeing());
    return cuda_status(result, "cuMemFree");
}

lab_status cuda_context_wait(backend_context *context)
{
    LAB_TRY(cuda_enter(context));
    return cuda_capture_possible() ? wait_beside_captures() : wait();
}

lab_status cuda_peer_access(backend_context *context, backend_context *peer, bool enable)
{
    LAB_TRY(cuda_enter(context));
    if (enable)
        CUDA_TRY(cuCtxEnablePeerAccess, peer->native, 0);
    else
        CUDA_TRY(cuCtxDisablePeerAccess, peer->native);
    return LAB_SUCCESS;
}

/* Makes the context's stream for visitors wait for the work enqueued on the other stream. */
static CUresult follow(backend_context *context, backend_stream *stream)
{
    if (cuda_enter(stream->context) != LAB_SUCCESS) return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = cuda_stream_mark(stream);
    if (result != CUDA_SUCCESS) return result;
    if (cuda_enter(context) != LAB_SUCCESS) return CUDA_ERROR_INVALID_CONTEXT;
    if (!context->visitors) result = cuda.cuStreamCreateWithPriority(&context->visitors, CU_STREAM_NON_BLOCKING, 0);
    return result == CUDA_SUCCESS ? cuda.cuStreamWaitEvent(context->visitors, stream->moment, 0) : result;
}

/* Ignores captures: a graph's use of the memory is known only when it is launched. */
void cuda_context_used_by(backend_context *context, backend_stream *stream)
{
    if (cuda_is_captured(stream)) return;
    pthread_mutex_lock(&context->lock);
    CUresult result = follow(context, stream);
    pthread_mutex_unlock(&context->lock);
    if (result != CUDA_SUCCESS) cuda.cuStreamSynchronize(stream->native);
}
