/* The driver's streams, events, captures and graphs, as far as their forms are its own. */
#include "cudart/graph.h"

#include <stdlib.h>

/* ---- streams ---- */

CUresult cuStreamCreate(CUstream *stream, unsigned int flags) { return cuStreamCreateWithPriority(stream, flags, 0); }

CUresult cuStreamDestroy(CUstream stream)
{
    DRIVER_BEGIN(false);
    if ((size_t)stream <= (size_t)CU_STREAM_PER_THREAD)
        return cudart_driver_fail(CUDA_ERROR_INVALID_HANDLE, "cuStreamDestroy: a default stream cannot be destroyed");
    return cudart_driver_end(lab_stream_destroy((lab_stream *)stream));
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags)
{
    DRIVER_BEGIN(!stream);
    if (flags) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamWaitEvent: flags must be 0");
    return cudart_driver_end(lab_stream_wait_event(cudart_stream(stream), cudart_event(event)));
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    DRIVER_BEGIN(!stream);
    return cudart_driver_end(lab_stream_get_context((lab_context **)context, cudart_stream(stream)));
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *user, unsigned int flags)
{
    DRIVER_BEGIN(!stream);
    if (!callback || flags)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuStreamAddCallback: callback is NULL, or flags is not 0");
    /* The codes of both interfaces are numbers of one list, so that a callback of either can be called. */
    return cudart_driver_end(cudart_stream_add_callback(stream, (cudaStreamCallback_t)(void (*)(void))callback, user));
}

/* ---- events ---- */

CUresult cuEventCreate(CUevent *event, unsigned int flags)
{
    DRIVER_BEGIN(true);
    if (flags & CU_EVENT_INTERPROCESS)
        return cudart_driver_fail(flags & CU_EVENT_DISABLE_TIMING ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE,
                                  "cuEventCreate: events cannot be shared with other processes here");
    return cudart_driver_end(lab_event_create((lab_event **)event, flags));
}

CUresult cuEventDestroy(CUevent event)
{
    DRIVER_BEGIN(false);
    if (!event) return cudart_driver_fail(CUDA_ERROR_INVALID_HANDLE, "cuEventDestroy: the event is NULL");
    return cudart_driver_end(lab_event_destroy(cudart_event(event)));
}

/* ---- captures and graphs: the objects are those of the runtime ---- */

CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    DRIVER_BEGIN(!stream);
    return cudart_driver_end(lab_stream_begin_capture(cudart_stream(stream), (lab_capture_mode)mode));
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    DRIVER_BEGIN(!stream);
    return cudart_driver_end(cudart_graph_end_capture(graph, cudart_stream(stream)));
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    DRIVER_BEGIN(!stream);
    return cudart_driver_end(lab_stream_is_capturing((lab_capture_status *)status, cudart_stream(stream)));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    DRIVER_BEGIN(false);
    return cudart_driver_end(lab_thread_exchange_capture_mode((lab_capture_mode *)mode));
}

CUresult cuGraphInstantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    DRIVER_BEGIN(true);
    if (!exec || !graph) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphInstantiate: an argument is NULL");
    return cudart_driver_end(cudart_graph_instantiate(exec, graph, flags));
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    return cuGraphInstantiate(exec, graph, flags);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream)
{
    DRIVER_BEGIN(!stream);
    if (!exec) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphLaunch: the executable graph is NULL");
    return cudart_driver_end(cudart_graph_launch(exec, cudart_stream(stream)));
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    DRIVER_BEGIN(false);
    if (!exec) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphExecDestroy: the executable graph is NULL");
    return cudart_driver_end(cudart_graph_exec_destroy(exec));
}

CUresult cuGraphDestroy(CUgraph graph)
{
    DRIVER_BEGIN(false);
    if (!graph) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuGraphDestroy: the graph is NULL");
    cudart_graph_free(graph);
    return CUDA_SUCCESS;
}
