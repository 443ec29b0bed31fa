/* Places in streams: marked with events that are used again and again, waited for on the device. The waits that a pool
 * adds to a program stand in its record as event records and event waits. */
#include "pool_stream.h"

#include "objects/stream_record.h"

#include <stdlib.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before a pool's own */
static pool_streams *registered;

/* Events cannot outlive their context. */
static void drop_places(pool_stream *of)
{
    for (pool_use *each = of->uses; each; each = each->made_before) {
        if (each->place) runtime_backend()->event_destroy(each->place);
        each->place = NULL;
    }
    if (of->place) runtime_backend()->event_destroy(of->place);
    of->place = NULL;
}

/* The stream is not alive any more. */
static void forget(pool_streams *streams, const pool_stream *ended)
{
    number_map_remove(&streams->by_id, ended->id);
    if (streams->latest == ended) streams->latest = NULL;
}

static void free_stream(pool_streams *streams, pool_stream *of)
{
    if (of->next) of->next->previous = of->previous;
    if (of->previous)
        of->previous->next = of->next;
    else
        streams->first = of->next;
    if (of->on) forget(streams, of);
    drop_places(of);
    for (pool_use *each = of->uses; each;) {
        pool_use *before = each->made_before;
        free(each);
        each = before;
    }
    free(of);
}

void pool_streams_close(pool_streams *streams)
{
    pthread_mutex_lock(&registry_lock);
    if (streams->next) streams->next->previous = streams->previous;
    if (streams->previous)
        streams->previous->next = streams->next;
    else
        registered = streams->next;
    pthread_mutex_unlock(&registry_lock);
    while (streams->first) free_stream(streams, streams->first);
    number_map_clear(&streams->by_id);
    pthread_mutex_destroy(&streams->lock);
}

/* Marks the place that a stream has reached, in the program's record too. A stream that captures, or that a capture keeps
 * from being used, cannot be marked. */
static lab_status mark(backend_event *place, uint64_t *record, const struct stream *on)
{
    lab_capture_status capture;
    LAB_TRY(runtime_backend()->capture_status(&capture, on->native));
    if (capture != LAB_CAPTURE_NONE) return LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    record_entry *entry = submission_begin_on(LAB_OP_EVENT_RECORD, on);
    lab_status status = runtime_backend()->event_record(place, on->native, record_times(entry));
    *record = record_id(entry);
    submission_end(entry, status);
    return status;
}

static lab_status wait_for(backend_event *place, uint64_t record, const struct stream *waiting)
{
    if (capture_event_done(place)) return LAB_SUCCESS;
    record_entry *entry = submission_begin_on(LAB_OP_EVENT_WAIT, waiting);
    record_waits_for(entry, record);
    if (capture_is_on(waiting)) submission_commit(entry); /* then the host waits */
    lab_status status = capture_wait_event(waiting, place);
    submission_end(entry, status);
    return status;
}

/* What still refers to it keeps it. */
static void set_ended(pool_streams *streams, pool_stream *of)
{
    forget(streams, of);
    of->on = NULL;
    if (of->references == 0) free_stream(streams, of);
}

static void end_stream(pool_streams *streams, pool_stream *ending)
{
    struct stream *on = ending->on;
    if (!capture_stream_done(on)) {
        ending->pending = mark(ending->place, &ending->place_record, on) == LAB_SUCCESS;
        if (!ending->pending) runtime_backend()->context_wait(on->context->native);
    }
    set_ended(streams, ending);
}

/* Without a lock. */
static void note_stream_end(struct stream *ending)
{
    pthread_mutex_lock(&registry_lock);
    for (pool_streams *each = registered; each; each = each->next) {
        pthread_mutex_lock(&each->lock);
        pool_stream *known = number_map_get(&each->by_id, ending->identity.id);
        if (known) end_stream(each, known);
        pthread_mutex_unlock(&each->lock);
    }
    pthread_mutex_unlock(&registry_lock);
}

static void end_context(pool_streams *streams, pool_stream *of)
{
    of->pending = false;
    drop_places(of);
    if (of->on) set_ended(streams, of);
}

/* Without a lock. */
static void note_context_end(struct context *ending)
{
    pthread_mutex_lock(&registry_lock);
    for (pool_streams *each = registered; each; each = each->next) {
        pthread_mutex_lock(&each->lock);
        for (pool_stream *of = each->first, *next; of; of = next) {
            next = of->next;
            if (of->context == ending) end_context(each, of);
        }
        pthread_mutex_unlock(&each->lock);
    }
    pthread_mutex_unlock(&registry_lock);
}

static const lifetime_listener hears_of_ends = {note_stream_end, note_context_end};

void pool_streams_open(pool_streams *streams)
{
    context_set_listener(&hears_of_ends);
    pthread_mutex_init(&streams->lock, NULL);
    pthread_mutex_lock(&registry_lock);
    streams->next = registered;
    if (registered) registered->previous = streams;
    registered = streams;
    pthread_mutex_unlock(&registry_lock);
}

static pool_stream *make_stream(pool_streams *streams, struct stream *on)
{
    if (!number_map_reserve(&streams->by_id, 1)) return NULL;
    pool_stream *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (runtime_backend()->event_create(&made->place, on->context->native, LAB_EVENT_DISABLE_TIMING) != LAB_SUCCESS) {
        free(made);
        return NULL;
    }
    made->id = on->identity.id;
    made->on = on;
    made->context = on->context;
    made->next = streams->first;
    if (streams->first) streams->first->previous = made;
    streams->first = made;
    number_map_put(&streams->by_id, on->identity.id, made);
    return made;
}

pool_stream *pool_stream_of_any(pool_streams *streams, struct stream *on)
{
    pool_stream *known = number_map_get(&streams->by_id, on->identity.id);
    return streams->latest = known ? known : make_stream(streams, on);
}

void pool_stream_release(pool_streams *streams, pool_stream *of)
{
    if (--of->references == 0 && !of->on) free_stream(streams, of);
}

bool pool_stream_done(pool_stream *of)
{
    if (of->on) return capture_stream_done(of->on);
    if (of->pending) of->pending = !capture_event_done(of->place);
    return !of->pending;
}

lab_status pool_stream_wait(pool_stream *waiting, pool_stream *other)
{
    if (pool_stream_done(other)) return LAB_SUCCESS;
    if (other->on && mark(other->place, &other->place_record, other->on) != LAB_SUCCESS)
        return runtime_backend()->context_wait(other->context->native);
    return wait_for(other->place, other->place_record, waiting->on);
}

static pool_use *make_use(pool_stream *by)
{
    pool_use *made = by->spare;
    if (made) {
        by->spare = made->next;
        return made;
    }
    made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (runtime_backend()->event_create(&made->place, by->context->native, LAB_EVENT_DISABLE_TIMING) != LAB_SUCCESS) {
        free(made);
        return NULL;
    }
    made->made_before = by->uses;
    return by->uses = made;
}

bool pool_uses_know(const pool_use *uses, const pool_stream *by)
{
    while (uses && uses->by != by) uses = uses->next;
    return uses;
}

bool pool_uses_note(pool_use **uses, pool_stream *by)
{
    if (pool_uses_know(*uses, by)) return true;
    pool_use *made = make_use(by);
    if (!made) return false;
    *made = (pool_use){.by = by, .place = made->place, .made_before = made->made_before, .next = *uses};
    by->references++;
    *uses = made;
    return true;
}

static lab_status mark_use(pool_use *use)
{
    lab_status status = mark(use->place, &use->record, use->by->on);
    use->marked = status == LAB_SUCCESS;
    return status;
}

void pool_uses_mark(pool_streams *streams, pool_use *uses)
{
    for (pool_use *each = uses; each; each = each->next) {
        each->sequence = ++streams->marks;
        if (each->by->on) mark_use(each);
    }
}

static bool use_done(pool_use *use)
{
    if (!use->place) return true;
    return use->marked ? capture_event_done(use->place) : pool_stream_done(use->by);
}

bool pool_uses_done(pool_use *uses)
{
    for (pool_use *each = uses; each; each = each->next)
        if (!use_done(each)) return false;
    return true;
}

lab_status pool_uses_wait(pool_use *uses, pool_stream *waiting)
{
    for (pool_use *each = uses; each; each = each->next) {
        if (each->by == waiting || !each->place) continue;
        LAB_TRY(each->marked ? wait_for(each->place, each->record, waiting->on) : pool_stream_wait(waiting, each->by));
    }
    return LAB_SUCCESS;
}

static void drop_use(pool_streams *streams, pool_use *use)
{
    pool_stream *by = use->by;
    use->next = by->spare;
    by->spare = use;
    pool_stream_release(streams, by);
}

void pool_uses_join(pool_streams *streams, pool_use **into, pool_use **from)
{
    while (*from) {
        pool_use *moved = *from, **link = into;
        *from = moved->next;
        while (*link && (*link)->by != moved->by) link = &(*link)->next;
        pool_use *same = *link;
        moved->next = same ? same->next : NULL;
        if (same && same->sequence > moved->sequence) {
            drop_use(streams, moved);
            continue;
        }
        *link = moved;
        if (same) drop_use(streams, same);
    }
}

void pool_uses_drop(pool_streams *streams, pool_use **uses)
{
    while (*uses) {
        pool_use *dropped = *uses;
        *uses = dropped->next;
        drop_use(streams, dropped);
    }
}
