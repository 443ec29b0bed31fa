/* Streams, events and host functions: of the runtime, and of both interfaces where their forms are the same. */
#include "cudart.h"

#include <stdlib.h>

lab_stream *cudart_stream(cudaStream_t stream)
{
    if (stream == cudaStreamPerThread || (!stream && cudart_is_per_thread())) return lab_stream_per_thread();
    if (!stream || stream == cudaStreamLegacy) return lab_stream_null();
    return (lab_stream *)stream;
}

/* ---- what both interfaces have in one form ---- */

/* `needs`: whether the driver's call needs a current context. */
#define BOTH(name, needs, parameters, call)                                                                            \
    cudaError_t cuda##name parameters                                                                                  \
    {                                                                                                                  \
        CUDART_BEGIN;                                                                                                  \
        return cudart_end(call);                                                                                       \
    }                                                                                                                  \
    CUresult cu##name parameters                                                                                       \
    {                                                                                                                  \
        DRIVER_BEGIN(needs);                                                                                           \
        return cudart_driver_end(call);                                                                                \
    }

static lab_status get_id(unsigned long long *id, lab_stream *stream)
{
    uint64_t found = 0;
    LAB_TRY(lab_stream_get_id(id ? &found : NULL, stream));
    *id = found;
    return LAB_SUCCESS;
}

/* Of a question "not ready" is an answer; here it is a mistake. */
static lab_status get_elapsed_time(float *milliseconds, lab_event *start, lab_event *end)
{
    const lab_status status = lab_event_elapsed_time(milliseconds, start, end);
    if (status == LAB_ERROR_NOT_READY) cudart_say_not_ready();
    return status;
}

/* clang-format off */
BOTH(StreamCreateWithPriority, true, (cudaStream_t *stream, unsigned int flags, int priority),
     lab_stream_create_with_priority((lab_stream **)stream, flags, priority))
BOTH(StreamSynchronize, !stream, (cudaStream_t stream),
     lab_stream_synchronize(cudart_stream(stream)))
BOTH(StreamQuery, !stream, (cudaStream_t stream),
     lab_stream_query(cudart_stream(stream)))
BOTH(StreamGetFlags, !stream, (cudaStream_t stream, unsigned int *flags),
     lab_stream_get_flags(flags, cudart_stream(stream)))
BOTH(StreamGetPriority, !stream, (cudaStream_t stream, int *priority),
     lab_stream_get_priority(priority, cudart_stream(stream)))
BOTH(StreamGetId, !stream, (cudaStream_t stream, unsigned long long *id),
     get_id(id, cudart_stream(stream)))
BOTH(LaunchHostFunc, !stream, (cudaStream_t stream, cudaHostFn_t function, void *user),
     lab_stream_launch_host_func(cudart_stream(stream), function, user))
BOTH(EventRecord, !stream, (cudaEvent_t event, cudaStream_t stream),
     lab_event_record(cudart_event(event), cudart_stream(stream)))
BOTH(EventQuery, false, (cudaEvent_t event),
     lab_event_query(cudart_event(event)))
BOTH(EventSynchronize, false, (cudaEvent_t event),
     lab_event_synchronize(cudart_event(event)))
BOTH(EventElapsedTime, false, (float *milliseconds, cudaEvent_t start, cudaEvent_t end),
     get_elapsed_time(milliseconds, cudart_event(start), cudart_event(end)))
/* clang-format on */

/* ---- streams ---- */

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return cudaStreamCreateWithPriority(stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return cudaStreamCreateWithPriority(stream, flags, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    CUDART_BEGIN;
    if ((size_t)stream <= (size_t)cudaStreamPerThread)
        return cudart_fail(cudaErrorInvalidResourceHandle, "cudaStreamDestroy: a default stream cannot be destroyed");
    return cudart_end(lab_stream_destroy((lab_stream *)stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    CUDART_BEGIN;
    if (flags) return cudart_fail(cudaErrorInvalidValue, "cudaStreamWaitEvent: flags must be 0");
    return cudart_end(lab_stream_wait_event(cudart_stream(stream), cudart_event(event)));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    CUDART_BEGIN;
    return cudart_end(lab_stream_get_device(device, cudart_stream(stream)));
}

static cudaError_t check_window(const struct cudaAccessPolicyWindow *window)
{
    if (window->hitRatio >= 0.0f && window->hitRatio <= 1.0f && window->hitProp <= cudaAccessPropertyPersisting &&
        window->missProp <= cudaAccessPropertyStreaming)
        return cudaSuccess;
    return cudart_fail(cudaErrorInvalidValue,
                       "cudaStreamSetAttribute: hitRatio must be from 0 to 1, and missProp not persisting");
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue *value)
{
    CUDART_BEGIN;
    unsigned flags;
    if (!value) return cudart_fail(cudaErrorInvalidValue, "cudaStreamSetAttribute: value is NULL");
    const lab_status status = lab_stream_get_flags(&flags, cudart_stream(stream));
    if (status != LAB_SUCCESS) return cudart_end(status);
    if (attribute == cudaStreamAttributeAccessPolicyWindow) return check_window(&value->accessPolicyWindow);
    if (attribute == cudaStreamAttributeSynchronizationPolicy) return cudaSuccess;
    return cudart_fail(cudaErrorNotSupported, "cudaStreamSetAttribute: the attribute %d is not here%s", (int)attribute,
                       attribute == cudaStreamAttributePriority ? ": cudaStreamCreateWithPriority sets it" : "");
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    CUDART_BEGIN;
    unsigned flags;
    lab_status status = lab_stream_get_flags(&flags, cudart_stream(to));
    if (status == LAB_SUCCESS) status = lab_stream_get_flags(&flags, cudart_stream(from));
    return cudart_end(status);
}

/* A callback gets the handle that the program gave, and a code of CUDA's. */
typedef struct callback {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void *user;
} callback;

static void call_back(lab_stream *stream, lab_status status, void *user)
{
    const callback called = *(callback *)user;
    (void)stream;
    free(user);
    called.function(called.stream, (cudaError_t)status, called.user);
}

lab_status cudart_stream_add_callback(cudaStream_t stream, cudaStreamCallback_t function, void *user)
{
    callback *made = malloc(sizeof *made);
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    *made = (callback){function, stream, user};
    const lab_status status = lab_stream_add_callback(cudart_stream(stream), call_back, made);
    if (status != LAB_SUCCESS) free(made);
    return status;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *user, unsigned int flags)
{
    CUDART_BEGIN;
    if (!function || flags)
        return cudart_fail(cudaErrorInvalidValue, "cudaStreamAddCallback: callback is NULL, or flags is not 0");
    return cudart_end(cudart_stream_add_callback(stream, function, user));
}

/* ---- events ---- */

cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    CUDART_BEGIN;
    if (flags & cudaEventInterprocess)
        return cudart_fail(flags & cudaEventDisableTiming ? cudaErrorNotSupported : cudaErrorInvalidValue,
                           "cudaEventCreateWithFlags: events cannot be shared with other processes here");
    return cudart_end(lab_event_create((lab_event **)event, flags));
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    CUDART_BEGIN;
    if (!event) return cudart_fail(cudaErrorInvalidResourceHandle, "cudaEventDestroy: the event is NULL");
    return cudart_end(lab_event_destroy(cudart_event(event)));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    CUDART_BEGIN;
    if (flags > cudaEventRecordExternal)
        return cudart_fail(cudaErrorInvalidValue, "cudaEventRecordWithFlags: unknown flags 0x%x", flags);
    if (flags) return cudart_fail(cudaErrorNotSupported, "cudaEventRecordWithFlags: external nodes are not here");
    return cudaEventRecord(event, stream);
}
