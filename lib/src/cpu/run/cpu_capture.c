/* The captures that are going on, the streams that are in them, and CUDA's rules for which calls are allowed
 * meanwhile and what they do to a capture. Independent of how a graph runs. */
#include "cpu_capture.h"

#include "cpu/engine/engine_lock.h"
#include "cpu_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpu_capture {
    uint64_t id;
    cpu_capture *next;       /* of the captures that are going on */
    backend_stream *origin;  /* where it began */
    backend_stream *streams; /* the streams in it: the origin and its forks */
    lab_capture_mode mode;
    uint64_t thread; /* the one that began it */
    bool valid, over;
    int places; /* the places in it: it is freed with the last */
    backend_graph *graph;
};

static cpu_capture *captures;
static atomic_int ongoing; /* their number, to be read without the lock */
static uint64_t last_id;

static _Atomic uint64_t threads;
static _Thread_local uint64_t thread_number;
static _Thread_local lab_capture_mode thread_mode = LAB_CAPTURE_GLOBAL;

static uint64_t this_thread(void)
{
    if (!thread_number) thread_number = atomic_fetch_add(&threads, 1) + 1;
    return thread_number;
}

/* ---- Places ---- */

static void leave(cpu_place *place)
{
    cpu_capture *left = place->capture;
    free(place->after.node);
    *place = (cpu_place){0};
    if (left && --left->places == 0) free(left);
}

static bool has_node(const cpu_node_set *set, int node)
{
    for (int i = 0; i < set->count; i++)
        if (set->node[i] == node) return true;
    return false;
}

static lab_status make_room(cpu_node_set *set, int count)
{
    if (count <= set->capacity) return LAB_SUCCESS;
    int *larger = realloc(set->node, (size_t)count * sizeof *larger);
    if (!larger) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to capture an operation");
    set->node = larger;
    set->capacity = count;
    return LAB_SUCCESS;
}

/* Makes what follows at `place` wait also for all that follows at `other` would wait for. */
static lab_status join(cpu_place *place, const cpu_place *other)
{
    LAB_TRY(make_room(&place->after, place->after.count + other->after.count));
    for (int i = 0; i < other->after.count; i++)
        if (!has_node(&place->after, other->after.node[i]))
            place->after.node[place->after.count++] = other->after.node[i];
    return LAB_SUCCESS;
}

/* Puts `place`, outside of any capture, where `other` is. */
static lab_status enter(cpu_place *place, const cpu_place *other)
{
    LAB_TRY(join(place, other));
    place->capture = other->capture;
    place->capture->places++;
    return LAB_SUCCESS;
}

static void enlist(backend_stream *stream, cpu_capture *capture)
{
    stream->next_captured = capture->streams;
    capture->streams = stream;
}

static void delist(backend_stream *stream)
{
    backend_stream **link = &stream->place.capture->streams;
    while (*link != stream) link = &(*link)->next_captured;
    *link = stream->next_captured;
    stream->next_captured = NULL;
    leave(&stream->place);
}

/* The capture ends, and its streams no longer capture. */
static void close_capture(cpu_capture *capture)
{
    cpu_capture **link = &captures;
    while (*link != capture) link = &(*link)->next;
    *link = capture->next;
    atomic_fetch_sub(&ongoing, 1);
    capture->over = true;
    if (capture->graph) cpu_graph_free(capture->graph);
    capture->graph = NULL;
    capture->places++; /* until the streams have left */
    while (capture->streams) delist(capture->streams);
    leave(&(cpu_place){.capture = capture});
}

/* ---- What a capture forbids ---- */

static lab_status invalidated(void)
{
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_INVALIDATED,
        "the stream's capture was made invalid by an earlier call; end it with lab_stream_end_capture on the "
        "stream where it began");
}

/* The null stream would wait for blocking streams, which a capture holds back. Makes the captures invalid, unless the
 * program only asks for a status. */
static lab_status refuse_implicit(const backend_context *context, bool asks)
{
    bool found = false;
    for (cpu_capture *each = captures; each; each = each->next)
        for (const backend_stream *stream = each->streams; stream; stream = stream->next_captured) {
            if (!stream->blocking || stream->context != context) continue;
            found = true;
            if (!asks) each->valid = false;
        }
    if (!found) return LAB_SUCCESS;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
        "the null stream is ordered with every blocking stream, and one of them is capturing%s; use another stream "
        "until the capture ended, or capture on a non-blocking one",
        asks ? "" : ", a capture now invalid");
}

/* Whether the capture forbids calls of this thread that it cannot see. */
static bool forbids_unsafe(const cpu_capture *capture)
{
    if (thread_mode == LAB_CAPTURE_RELAXED || capture->mode == LAB_CAPTURE_RELAXED) return false;
    if (capture->thread == this_thread()) return true;
    return capture->mode == LAB_CAPTURE_GLOBAL && thread_mode == LAB_CAPTURE_GLOBAL;
}

static lab_status refuse_unsafe(const char *call)
{
    bool own = false, other = false;
    for (cpu_capture *each = captures; each; each = each->next) {
        if (!forbids_unsafe(each)) continue;
        *(each->thread == this_thread() ? &own : &other) = true;
        each->valid = false;
    }
    if (!own && !other) return LAB_SUCCESS;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "%s: not while a stream captures that %s began, in a mode that forbids it; the capture is now invalid "
        "(LAB_CAPTURE_RELAXED allows the call, which then is no part of the graph)",
        call, own ? "this thread" : "another thread");
}

lab_status cpu_capture_check_unsafe(const char *call)
{
    if (atomic_load(&ongoing) == 0) return LAB_SUCCESS;
    cpu_engine_lock();
    lab_status status = refuse_unsafe(call);
    cpu_engine_unlock();
    return status;
}

static lab_status check_stream(const backend_stream *stream, const char *call)
{
    cpu_capture *capture = stream->place.capture;
    if (stream->null) LAB_TRY(refuse_implicit(stream->context, false));
    if (!capture) return refuse_unsafe(call);
    if (!capture->valid) return invalidated();
    capture->valid = false;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "%s: the stream is capturing: nothing on it runs, so it cannot be waited for or be done; the capture is now "
        "invalid",
        call);
}

lab_status cpu_capture_check_stream(backend_stream *stream, const char *call)
{
    if (atomic_load(&ongoing) == 0) return LAB_SUCCESS;
    cpu_engine_lock();
    lab_status status = check_stream(stream, call);
    cpu_engine_unlock();
    return status;
}

/* The event was recorded in a capture: it stands for a place in a graph. */
static lab_status refuse_captured_event(const cpu_capture *capture)
{
    if (capture->over || !capture->valid)
        return lab_fail(
            LAB_ERROR_INVALID_VALUE,
            "the event was last recorded in a capture that %s, where it stands for a place in the graph; record it "
            "on a stream that does not capture",
            capture->over ? "has ended" : "is invalid");
    return lab_fail(
        LAB_ERROR_CAPTURED_EVENT,
        "the event was recorded on a stream that is capturing: it stands for a place in the graph and is never done");
}

lab_status cpu_capture_check_event(const backend_event *event)
{
    cpu_capture *capture = event->place.capture;
    if (!capture) return refuse_unsafe("waiting for an event or asking whether it is done");
    lab_status status = refuse_captured_event(capture);
    capture->valid = false;
    return status;
}

lab_status cpu_capture_check_times(const backend_event *start, const backend_event *end)
{
    const cpu_capture *capture = start->place.capture ? start->place.capture : end->place.capture;
    return capture ? refuse_captured_event(capture) : LAB_SUCCESS;
}

lab_status cpu_capture_check_context(const backend_context *context)
{
    bool found = false;
    cpu_engine_lock();
    for (cpu_capture *each = captures; each; each = each->next)
        for (const backend_stream *stream = each->streams; stream; stream = stream->next_captured) {
            if (stream->context != context) continue;
            found = true;
            each->valid = false;
        }
    cpu_engine_unlock();
    if (!found) return LAB_SUCCESS;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
        "lab_device_synchronize: a stream of the device is capturing: nothing on it runs, so it cannot be waited "
        "for; the capture is now invalid");
}

uint64_t cpu_capture_id(backend_stream *stream)
{
    if (atomic_load(&ongoing) == 0) return 0;
    cpu_engine_lock();
    const cpu_capture *capture = stream->place.capture;
    const uint64_t id = !capture ? 0 : capture->valid ? capture->id : UINT64_MAX;
    cpu_engine_unlock();
    return id;
}

bool cpu_capture_any(void) { return atomic_load(&ongoing) > 0; }

/* ---- Operations and events in a capture ---- */

static lab_status take(backend_stream *stream, cpu_op *op)
{
    cpu_place *place = &stream->place;
    if (!place->capture->valid) return invalidated();
    if (!op->describe) {
        place->capture->valid = false;
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        "the stream is capturing, and this cannot become part of a graph; the capture is now invalid");
    }
    LAB_TRY(make_room(&place->after, 1));
    op->times = NULL;
    int node;
    LAB_TRY(cpu_graph_add(&node, place->capture->graph, op, &place->after));
    place->after.node[0] = node;
    place->after.count = 1;
    return LAB_SUCCESS;
}

bool cpu_capture_takes(lab_status *status, backend_stream *stream, cpu_op *op)
{
    if (!captures) return false;
    if (stream->null) {
        *status = refuse_implicit(stream->context, false);
        return *status != LAB_SUCCESS;
    }
    if (!stream->place.capture) return false;
    *status = take(stream, op);
    return true;
}

bool cpu_capture_records(lab_status *status, backend_event *event, backend_stream *stream)
{
    if (!stream->place.capture) return false;
    if (!stream->place.capture->valid) {
        *status = invalidated();
        return true;
    }
    cpu_place recorded = {0};
    *status = enter(&recorded, &stream->place);
    if (*status == LAB_SUCCESS) {
        leave(&event->place);
        event->place = recorded;
    }
    return true;
}

/* The stream, outside of any capture, becomes a fork in the capture that the event was recorded in. */
static lab_status fork_stream(backend_stream *stream, const backend_event *event)
{
    LAB_TRY(enter(&stream->place, &event->place));
    enlist(stream, stream->place.capture);
    stream->forked = call_site_now();
    return LAB_SUCCESS;
}

static lab_status refuse_isolation(cpu_capture *capture)
{
    capture->valid = false;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_ISOLATION,
        "the stream is capturing, and the event was recorded outside of the capture: a graph cannot wait for it; the "
        "capture is now invalid");
}

static lab_status refuse_merge(cpu_capture *one, cpu_capture *other)
{
    one->valid = other->valid = false;
    return lab_fail(LAB_ERROR_STREAM_CAPTURE_MERGE,
                    "the stream and the event belong to two captures, which cannot become one; both are now invalid");
}

static lab_status refuse_null_wait(cpu_capture *capture)
{
    capture->valid = false;
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_IMPLICIT,
        "the null stream cannot be captured, so it cannot wait for an event of a capture, which is now invalid");
}

static lab_status wait_in_capture(backend_stream *stream, const backend_event *event)
{
    cpu_capture *waiting = stream->place.capture, *recorded = event->place.capture;
    if (waiting && !waiting->valid) return invalidated();
    if (!recorded) return refuse_isolation(waiting);
    if (recorded->over || !recorded->valid) {
        if (waiting) waiting->valid = false;
        return refuse_captured_event(recorded);
    }
    if (stream->null) return refuse_null_wait(recorded);
    if (!waiting) return fork_stream(stream, event);
    return waiting == recorded ? join(&stream->place, &event->place) : refuse_merge(waiting, recorded);
}

bool cpu_capture_waits(lab_status *status, backend_stream *stream, backend_event *event)
{
    if (!stream->place.capture && !event->place.capture) return false;
    *status = wait_in_capture(stream, event);
    return true;
}

void cpu_capture_forget(backend_event *event) { leave(&event->place); }

void cpu_capture_leave(backend_stream *stream)
{
    if (!stream->place.capture) return;
    if (stream->place.capture->origin == stream)
        close_capture(stream->place.capture);
    else
        delist(stream);
}

/* ---- Beginning, ending, asking ---- */

static lab_status begin(backend_stream *stream, lab_capture_mode mode)
{
    LAB_TRY(cpu_stream_check(stream));
    if (stream->null)
        return lab_fail(LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                        "the null stream cannot capture; create a stream with lab_stream_create and capture on it");
    if (stream->place.capture)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE, "the stream is in a capture already; end that one first");
    cpu_capture *made = calloc(1, sizeof *made);
    backend_graph *graph = made ? cpu_graph_create(stream->context) : NULL;
    if (!graph) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a capture");
    }
    *made = (cpu_capture){.id = ++last_id,
                          .next = captures,
                          .origin = stream,
                          .mode = mode,
                          .thread = this_thread(),
                          .valid = true,
                          .places = 1,
                          .graph = graph};
    captures = made;
    atomic_fetch_add(&ongoing, 1);
    stream->place.capture = made;
    enlist(stream, made);
    return LAB_SUCCESS;
}

lab_status cpu_capture_begin(backend_stream *stream, lab_capture_mode mode)
{
    cpu_engine_lock();
    lab_status status = begin(stream, mode);
    cpu_engine_unlock();
    return status;
}

/* The stream of the capture whose work is not reached. The work of one that was destroyed may be anybody's: NULL. */
static const backend_stream *find_unjoined(const cpu_capture *capture, const cpu_node_set *reached)
{
    for (const backend_stream *stream = capture->streams; stream; stream = stream->next_captured)
        for (int i = 0; stream != capture->origin && i < stream->place.after.count; i++)
            if (cpu_graph_is_end(capture->graph, stream->place.after.node[i]) &&
                !has_node(reached, stream->place.after.node[i]))
                return stream;
    return NULL;
}

static lab_status refuse_unjoined(const cpu_capture *capture, const cpu_node_set *reached)
{
    const backend_stream *stream = find_unjoined(capture, reached);
    const char *file = stream && stream->forked.line ? stream->forked.file : "", *slash = strrchr(file, '/');
    char fork[300] = "";
    if (*file) snprintf(fork, sizeof fork, "; the fork is at %s:%d", slash ? slash + 1 : file, stream->forked.line);
    return lab_fail(
        LAB_ERROR_STREAM_CAPTURE_UNJOINED,
        "lab_stream_end_capture: work on a forked stream was not joined: record an event there after the work and "
        "make this stream wait for it before the end%s",
        fork);
}

/* Fails if the capture gives no graph, with the reason. */
static lab_status check_end(const cpu_capture *capture, const cpu_node_set *reached)
{
    if (capture->mode != LAB_CAPTURE_RELAXED && capture->thread != this_thread())
        return lab_fail(
            LAB_ERROR_STREAM_CAPTURE_WRONG_THREAD,
            "lab_stream_end_capture: another thread began the capture, and only LAB_CAPTURE_RELAXED lets this one end "
            "it; the capture is dropped");
    if (!capture->valid)
        return lab_fail(
            LAB_ERROR_STREAM_CAPTURE_INVALIDATED,
            "lab_stream_end_capture: an earlier call made the capture invalid, so there is no graph; the stream can be "
            "used again");
    return cpu_graph_ends_in(capture->graph, reached) ? LAB_SUCCESS : refuse_unjoined(capture, reached);
}

static lab_status end(backend_graph **out, backend_stream *stream)
{
    cpu_capture *capture = stream->place.capture;
    if (!capture)
        return lab_fail(LAB_ERROR_ILLEGAL_STATE,
                        "lab_stream_end_capture: the stream is not capturing; lab_stream_begin_capture "
                        "begins");
    if (capture->origin != stream) {
        capture->valid = false;
        return lab_fail(
            LAB_ERROR_STREAM_CAPTURE_UNMATCHED,
            "lab_stream_end_capture: the capture began on another stream, of which this one is a fork; the capture is "
            "now invalid");
    }
    lab_status status = check_end(capture, &stream->place.after);
    if (status == LAB_SUCCESS) {
        *out = capture->graph;
        capture->graph = NULL;
    }
    close_capture(capture);
    return status;
}

lab_status cpu_capture_end(backend_graph **out, backend_stream *stream)
{
    cpu_engine_lock();
    lab_status status = end(out, stream);
    cpu_engine_unlock();
    return status;
}

lab_status cpu_capture_status(lab_capture_status *status, backend_stream *stream)
{
    *status = LAB_CAPTURE_NONE;
    if (atomic_load(&ongoing) == 0) return LAB_SUCCESS;
    cpu_engine_lock();
    lab_status outcome = stream->null ? refuse_implicit(stream->context, true) : LAB_SUCCESS;
    const cpu_capture *capture = stream->place.capture;
    *status = !capture ? LAB_CAPTURE_NONE : capture->valid ? LAB_CAPTURE_ACTIVE : LAB_CAPTURE_INVALIDATED;
    cpu_engine_unlock();
    return outcome;
}

void cpu_capture_exchange_mode(lab_capture_mode *mode)
{
    lab_capture_mode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
}
