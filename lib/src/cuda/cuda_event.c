/* Events of the CUDA devices. */
#include "cuda_device_state.h"

#include <stdlib.h>

lab_status cuda_event_create(backend_event **out, backend_context *context, unsigned flags)
{
    LAB_TRY(cuda_enter(context));
    backend_event *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another event");
    made->context = context;
    CUresult result = cuda.cuEventCreate(&made->native, flags); /* the flags are CUDA's */
    if (result != CUDA_SUCCESS) {
        free(made);
        return cuda_fail(result, "cuEventCreate");
    }
    *out = made;
    return LAB_SUCCESS;
}

lab_status cuda_event_destroy(backend_event *event)
{
    backend_context *context = event->context;
    LAB_TRY(cuda_enter(context));
    CUresult result = cuda.cuEventDestroy(event->native);
    retire(&event->retired, retire_free);
    return cuda_status(result, "cuEventDestroy");
}

lab_status cuda_event_record(backend_event *event, backend_stream *stream, backend_times *times)
{
    LAB_TRY(cuda_enter(stream->context));
    cuda_span span = times ? cuda_span_open_by_events(stream, times) : (cuda_span){NULL, NULL};
    const CUresult result = cuda.cuEventRecord(event->native, stream->native);
    cuda_span_end(&span, stream, result);
    return cuda_status(result, "cuEventRecord");
}

lab_status cuda_event_query(backend_event *event)
{
    LAB_TRY(cuda_enter(event->context));
    CUDA_TRY(cuEventQuery, event->native);
    return LAB_SUCCESS;
}

lab_status cuda_event_synchronize(backend_event *event)
{
    LAB_TRY(cuda_enter(event->context));
    const CUevent native = event->native;
    const bool paused = retire_pause();
    const CUresult result = cuda.cuEventSynchronize(native);
    retire_resume(paused);
    return cuda_status(result, "cuEventSynchronize");
}

lab_status cuda_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end)
{
    LAB_TRY(cuda_enter(start->context));
    CUresult result = cuda.elapsed_time(milliseconds, start->native, end->native);
    return cuda_status(result, "cuEventElapsedTime");
}
