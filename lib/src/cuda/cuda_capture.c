/* Capture on the CUDA devices. The driver captures and enforces CUDA's rules. This file keeps the list of captured
 * nodes, since the driver does not promise to return them in order or with their names. */
#include "cuda_device_state.h"

#include <stdlib.h>

/* A capture in progress. */
typedef struct ongoing {
    cuuint64_t id; /* the driver's id */
    const backend_stream *origin;
    backend_graph *graph;
    bool incomplete; /* there was no memory for a node */
    struct ongoing *next;
} ongoing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ongoing *all;

/* Called with the lock held. */
static ongoing *find(cuuint64_t id)
{
    ongoing *each = all;
    while (each && each->id != id) each = each->next;
    return each;
}

/* Removes the capture that began on the stream from the list; NULL if none did. */
static ongoing *take(const backend_stream *stream)
{
    pthread_mutex_lock(&lock);
    ongoing **link = &all;
    while (*link && (*link)->origin != stream) link = &(*link)->next;
    ongoing *taken = *link;
    if (taken) {
        *link = taken->next;
        atomic_fetch_sub(&cuda_captures, 1);
    }
    pthread_mutex_unlock(&lock);
    return taken;
}

lab_status cuda_capture_note(backend_stream *stream, const cuda_captured *what)
{
    cuuint64_t id;
    CUgraph graph;
    CUgraphNode node;
    if (!cuda_capture_ask(stream, &id, &graph, &node) || !node) return LAB_SUCCESS;
    lab_status status = LAB_SUCCESS;
    pthread_mutex_lock(&lock);
    ongoing *capture = find(id);
    if (capture) status = cuda_graph_add(capture->graph, node, what);
    if (status != LAB_SUCCESS) capture->incomplete = true;
    pthread_mutex_unlock(&lock);
    return status;
}

void cuda_capture_merge(const backend_stream *stream, CUgraphNode noted, CUgraphNode other)
{
    cuuint64_t id;
    CUgraph graph;
    CUgraphNode last;
    if (!noted || !other || !cuda_capture_ask(stream, &id, &graph, &last)) return;
    pthread_mutex_lock(&lock);
    const ongoing *capture = find(id);
    if (capture) cuda_graph_merge(capture->graph, noted, other);
    pthread_mutex_unlock(&lock);
}

/* ---- Beginning and ending ---- */

static ongoing *make(const backend_stream *stream)
{
    ongoing *made = calloc(1, sizeof *made);
    if (made) made->graph = cuda_graph_create(stream->context);
    if (made) made->origin = stream;
    if (made && made->graph) return made;
    free(made);
    return NULL;
}

static void discard(ongoing *capture)
{
    if (!capture) return;
    if (capture->graph) cuda_graph_destroy(capture->graph);
    free(capture);
}

static lab_status begin(backend_stream *stream, lab_capture_mode mode, ongoing *made)
{
    CUresult result = cuda.cuStreamBeginCapture(stream->native, cuda_native_mode(mode));
    if (result == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        "the null stream cannot capture; create a stream with lab_stream_create and capture on it");
    if (result == CUDA_ERROR_ILLEGAL_STATE)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE, "the stream is already in a capture; end that capture first");
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuStreamBeginCapture");
    CUgraph graph;
    CUgraphNode last;
    cuda_capture_ask(stream, &made->id, &graph, &last);
    return LAB_SUCCESS;
}

lab_status cuda_capture_begin(backend_stream *stream, lab_capture_mode mode)
{
    LAB_TRY(cuda_enter(stream->context));
    ongoing *made = make(stream);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a capture");
    /* Counted before the driver begins: from then on other threads must ask. */
    atomic_fetch_add(&cuda_captures, 1);
    lab_status status = begin(stream, mode, made);
    if (status != LAB_SUCCESS) {
        atomic_fetch_sub(&cuda_captures, 1);
        discard(made);
        return status;
    }
    pthread_mutex_lock(&lock);
    made->next = all;
    all = made;
    pthread_mutex_unlock(&lock);
    return LAB_SUCCESS;
}

static lab_status finish(backend_graph **out, ongoing *capture, CUgraph native)
{
    if (!capture || capture->incomplete) {
        cuda.cuGraphDestroy(native);
        discard(capture);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY,
                        "lab_stream_end_capture: there was no host memory for one of the nodes");
    }
    lab_status status = cuda_graph_finish(capture->graph, native);
    if (status == LAB_SUCCESS) {
        *out = capture->graph;
        capture->graph = NULL;
    }
    discard(capture);
    return status;
}

lab_status cuda_capture_end(backend_graph **out, backend_stream *stream)
{
    LAB_TRY(cuda_enter(stream->context));
    CUgraph native = NULL;
    CUstreamCaptureStatus after;
    CUresult result = cuda.cuStreamEndCapture(stream->native, &native);
    bool over =
        cuda.cuStreamIsCapturing(stream->native, &after) == CUDA_SUCCESS && after == CU_STREAM_CAPTURE_STATUS_NONE;
    ongoing *ended = over ? take(stream) : NULL;
    if (result == CUDA_SUCCESS) return finish(out, ended, native);
    discard(ended);
    if (native) cuda.cuGraphDestroy(native);
    if (result == CUDA_ERROR_ILLEGAL_STATE)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE,
                        "lab_stream_end_capture: the stream is not capturing; lab_stream_begin_capture begins");
    return cuda_fail(result, "cuStreamEndCapture");
}

void cuda_capture_leave(const backend_stream *stream) { discard(take(stream)); }

/* ---- Asking ---- */

lab_status cuda_capture_status(lab_capture_status *status, backend_stream *stream)
{
    *status = LAB_CAPTURE_NONE;
    if (!cuda_capture_possible()) return LAB_SUCCESS;
    CUstreamCaptureStatus native;
    LAB_TRY(cuda_enter(stream->context));
    CUDA_TRY(cuStreamIsCapturing, stream->native, &native);
    *status = native == CU_STREAM_CAPTURE_STATUS_NONE     ? LAB_CAPTURE_NONE
              : native == CU_STREAM_CAPTURE_STATUS_ACTIVE ? LAB_CAPTURE_ACTIVE
                                                          : LAB_CAPTURE_INVALIDATED;
    return LAB_SUCCESS;
}

uint64_t cuda_capture_id(backend_stream *stream)
{
    cuuint64_t id;
    CUgraph graph;
    CUgraphNode last;
    if (cuda_capture_ask(stream, &id, &graph, &last)) return id;
    return cuda_is_captured(stream) ? UINT64_MAX : 0;
}

bool cuda_capture_any(void) { return cuda_capture_possible(); }

typedef struct unsafe_question {
    bool asked;
    CUresult result;
} unsafe_question;

static void ask_context(backend_context *context, void *user)
{
    unsafe_question *question = user;
    if (question->asked || cuda_has_failed() || cuda_enter(context) != LAB_SUCCESS) return;
    question->asked = true;
    question->result = cuda.cuEventQuery(context->probe);
}

lab_status cuda_capture_check_unsafe(const char *call)
{
    if (!cuda_capture_possible()) return LAB_SUCCESS;
    unsafe_question question = {false, CUDA_SUCCESS};
    cuda_contexts_each(ask_context, &question);
    if (question.result != CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                    "%s: not while a stream captures in a mode that forbids it; the capture is now invalid "
                    "(LAB_CAPTURE_RELAXED allows the call, which then is no part of the graph)",
                    call);
}
