/*
 * When the device ran an operation, for the record. CUPTI reports the times. Without CUPTI, events before and after the
 * operation on its stream give them, relative to a moment known on the host's clock. The same serves for event records,
 * which CUPTI does not report: the program's event lies between the two, however late the host enqueues the second.
 * None of this happens unless a record is running.
 */
#include "cuda/libraries/cupti.h"
#include "cuda_device_state.h"

#include "base/monotonic.h"

#include <stdlib.h>

/* An operation whose times are still to be written. */
typedef struct pending {
    backend_context *context;
    uint64_t serial;
    backend_times *times;
    CUevent start, end;
    struct pending *next;
} pending;

/* A reference moment of a context: the event was done at this host time. */
typedef struct anchor {
    uint64_t serial;
    CUevent event;
    int64_t host_ns;
    struct anchor *next;
} anchor;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pending *asked;
static anchor *anchors;
static atomic_bool by_cupti;

static CUevent mark(backend_stream *stream)
{
    CUevent made;
    if (cuda.cuEventCreate(&made, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return NULL;
    if (cuda.cuEventRecord(made, stream->native) == CUDA_SUCCESS) return made;
    cuda.cuEventDestroy(made);
    return NULL;
}

/* Records an event on an idle stream, waits for it, and reads the host's clock before and after. */
static bool drop_anchor(anchor *dropped, const backend_context *context)
{
    CUstream idle;
    bool done = false;
    if (cuda.cuStreamCreateWithPriority(&idle, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS) return false;
    if (cuda.cuEventCreate(&dropped->event, CU_EVENT_DEFAULT) == CUDA_SUCCESS) {
        for (int i = 0; i < 3; i++) { /* the first is slower */
            int64_t before = monotonic_ns();
            done = cuda.cuEventRecord(dropped->event, idle) == CUDA_SUCCESS &&
                   cuda.cuEventSynchronize(dropped->event) == CUDA_SUCCESS;
            dropped->host_ns = before + (monotonic_ns() - before) / 2;
        }
        if (!done) cuda.cuEventDestroy(dropped->event);
    }
    cuda.cuStreamDestroy(idle);
    dropped->serial = context->serial;
    return done;
}

/* The context's anchor, made at its first operation of the record; NULL if that fails. */
static const anchor *anchor_of(const backend_context *context)
{
    pthread_mutex_lock(&lock);
    anchor *found = anchors;
    while (found && found->serial != context->serial) found = found->next;
    if (!found && (found = calloc(1, sizeof *found))) {
        bool dropped;
        CUDA_RELAXED(dropped, drop_anchor(found, context));
        if (dropped) {
            found->next = anchors;
            anchors = found;
        } else {
            free(found);
            found = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void ask(backend_stream *stream, backend_times *times, CUevent start)
{
    pending *made = calloc(1, sizeof *made);
    CUevent end = made ? mark(stream) : NULL;
    if (!end) {
        cuda.cuEventDestroy(start);
        free(made);
        return;
    }
    *made = (pending){stream->context, stream->context->serial, times, start, end, NULL};
    pthread_mutex_lock(&lock);
    made->next = asked;
    asked = made;
    pthread_mutex_unlock(&lock);
}

cuda_span cuda_span_open_by_events(backend_stream *stream, backend_times *times)
{
    CUevent start = !cuda_is_captured(stream) && anchor_of(stream->context) ? mark(stream) : NULL;
    return (cuda_span){start ? times : NULL, start};
}

cuda_span cuda_span_open(backend_stream *stream, backend_times *times)
{
    if (!atomic_load_explicit(&by_cupti, memory_order_relaxed) || cuda_cupti_rests())
        return cuda_span_open_by_events(stream, times);
    if (cuda_is_captured(stream)) return (cuda_span){NULL, NULL};
    cuda_cupti_push(times);
    return (cuda_span){times, NULL};
}

void cuda_span_close(cuda_span *span, backend_stream *stream, bool enqueued)
{
    if (!span->start)
        cuda_cupti_pop();
    else if (enqueued)
        ask(stream, span->times, span->start);
    else
        cuda.cuEventDestroy(span->start);
}

void cuda_times_begin(void) { atomic_store(&by_cupti, cuda_cupti_begin()); }

/* The host's time of the event; 0 if unknown. */
static int64_t time_of(CUevent event, const anchor *origin)
{
    float milliseconds;
    if (cuda.elapsed_time(&milliseconds, origin->event, event) != CUDA_SUCCESS) return 0;
    return origin->host_ns + (int64_t)((double)milliseconds * 1e6);
}

static void answer(const pending *question, const anchor *origin)
{
    const int64_t start = time_of(question->start, origin), end = time_of(question->end, origin);
    if (start && end) {
        atomic_store(&question->times->start_ns, start);
        atomic_store(&question->times->end_ns, end < start ? start : end);
    }
}

static void answer_all(backend_context *context, void *user)
{
    (void)user;
    const anchor *origin = anchors;
    while (origin && origin->serial != context->serial) origin = origin->next;
    if (!origin || cuda_enter(context) != LAB_SUCCESS) return;
    for (pending *each = asked; each; each = each->next) {
        if (each->serial != context->serial) continue;
        answer(each, origin);
        cuda.cuEventDestroy(each->start);
        cuda.cuEventDestroy(each->end);
    }
    cuda.cuEventDestroy(origin->event);
}

void cuda_times_end(void)
{
    if (atomic_exchange(&by_cupti, false)) cuda_cupti_end();
    pthread_mutex_lock(&lock);
    cuda_contexts_each(answer_all, NULL);
    while (asked) {
        pending *next = asked->next;
        free(asked);
        asked = next;
    }
    while (anchors) {
        anchor *next = anchors->next;
        free(anchors);
        anchors = next;
    }
    pthread_mutex_unlock(&lock);
}
