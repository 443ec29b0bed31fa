/* What the driver says of captures: whether a stream is in one, and what a thread's mode is. */
#include "cuda_device_state.h"

atomic_int cuda_captures;

/* The stream's capture as the driver knows it; false if the stream is not in a valid capture. */
bool cuda_capture_ask(const backend_stream *stream, cuuint64_t *id, CUgraph *graph, CUgraphNode *last)
{
    CUstreamCaptureStatus status;
    const CUgraphNode *after = NULL;
    size_t count = 0;
    if (!cuda_capture_possible() || stream->null || cuda_enter(stream->context) != LAB_SUCCESS) return false;
    if (cuda.capture_info(stream->native, &status, id, graph, &after, &count) != CUDA_SUCCESS) return false;
    if (status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return false;
    *last = count > 0 ? after[0] : NULL;
    return true;
}

bool cuda_is_captured(const backend_stream *stream)
{
    CUstreamCaptureStatus status;
    return cuda_capture_possible() && !stream->null && cuda_enter(stream->context) == LAB_SUCCESS &&
           cuda.cuStreamIsCapturing(stream->native, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

CUgraphNode cuda_capture_last(const backend_stream *stream)
{
    cuuint64_t id;
    CUgraph graph;
    CUgraphNode last;
    return cuda_capture_ask(stream, &id, &graph, &last) ? last : NULL;
}

CUgraph cuda_captured_graph(const backend_stream *stream)
{
    cuuint64_t id;
    CUgraph graph;
    CUgraphNode last;
    return cuda_capture_ask(stream, &id, &graph, &last) ? graph : NULL;
}

CUstreamCaptureMode cuda_native_mode(lab_capture_mode mode)
{
    static const CUstreamCaptureMode native[] = {[LAB_CAPTURE_GLOBAL] = CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                 [LAB_CAPTURE_THREAD_LOCAL] = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                 [LAB_CAPTURE_RELAXED] = CU_STREAM_CAPTURE_MODE_RELAXED};
    return native[mode];
}

void cuda_capture_exchange_mode(lab_capture_mode *mode)
{
    CUstreamCaptureMode exchanged = cuda_native_mode(*mode);
    if (cuda.cuThreadExchangeStreamCaptureMode(&exchanged) != CUDA_SUCCESS) return;
    *mode = exchanged == CU_STREAM_CAPTURE_MODE_GLOBAL         ? LAB_CAPTURE_GLOBAL
            : exchanged == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ? LAB_CAPTURE_THREAD_LOCAL
                                                               : LAB_CAPTURE_RELAXED;
}
