/* Places in streams: marked with events that are reused, and waited for on the device. The record shows the waits that
 * a pool adds as event records and event waits. */
#include "pool_stream.h"

#include "objects/contexts/stream_record.h"

#include <stdlib.h>

static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER; /* taken before a pool's own lock */
static pool_streams *registered;

lab_status pool_no_host_memory(const char *call)
{
    return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory for the pool's list of blocks", call);
}

lab_status pool_stream_refused(const struct stream *stream, const char *call)
{
    if (!atomic_load(&stream->ended)) return pool_no_host_memory(call);
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: another thread destroyed the stream during the call", call);
}

lab_status pool_ended(const char *call)
{
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: another thread destroyed the pool during the call", call);
}

/* Destroys the events: they cannot outlive their context. */
static void drop_places(pool_stream *stream)
{
    for (pool_use *each = stream->uses; each; each = each->made_before) {
        if (each->place) runtime_backend()->event_destroy(each->place);
        each->place = NULL;
    }
    if (stream->place) runtime_backend()->event_destroy(stream->place);
    stream->place = NULL;
}

/* Removes a stream that has ended from the map of live streams. */
static void forget(pool_streams *streams, const pool_stream *ended)
{
    number_map_remove(&streams->by_id, ended->id);
    if (streams->latest == ended) streams->latest = NULL;
}

static void free_stream(pool_streams *streams, pool_stream *stream)
{
    if (stream->next) stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        streams->first = stream->next;
    if (stream->object) forget(streams, stream);
    drop_places(stream);
    for (pool_use *each = stream->uses; each;) {
        pool_use *before = each->made_before;
        free(each);
        each = before;
    }
    free(stream);
}

void pool_streams_begin_close(void) { pthread_mutex_lock(&registry_lock); }

void pool_streams_close(pool_streams *streams)
{
    if (streams->next) streams->next->previous = streams->previous;
    if (streams->previous)
        streams->previous->next = streams->next;
    else
        registered = streams->next;
    while (streams->first) free_stream(streams, streams->first);
    pthread_mutex_unlock(&registry_lock);
    number_map_clear(&streams->by_id);
    pthread_mutex_destroy(&streams->lock);
}

/* Marks the place that a stream has reached, also in the record. Fails if the stream is capturing, or a capture forbids
 * its use. */
static lab_status mark(backend_event *place, uint64_t *record, const struct stream *stream)
{
    lab_capture_status capture;
    LAB_TRY(runtime_backend()->capture_status(&capture, stream->native));
    if (capture != LAB_CAPTURE_NONE) return LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    record_entry *entry = submission_begin_on(LAB_OP_EVENT_RECORD, stream);
    lab_status status = runtime_backend()->event_record(place, stream->native, record_times(entry));
    *record = record_id(entry);
    submission_end(entry, status);
    return status;
}

static lab_status wait_for(backend_event *place, uint64_t record, const struct stream *waiting)
{
    if (capture_event_done(place)) return LAB_SUCCESS;
    record_entry *entry = submission_begin_on(LAB_OP_EVENT_WAIT, waiting);
    record_waits_for(entry, record);
    if (capture_is_on(waiting)) submission_commit(entry); /* since the host will wait */
    lab_status status = capture_wait_event(waiting, place);
    submission_end(entry, status);
    return status;
}

/* Notes that the stream has ended. References to it keep it alive. */
static void set_ended(pool_streams *streams, pool_stream *stream)
{
    forget(streams, stream);
    stream->object = NULL;
    if (stream->references == 0) free_stream(streams, stream);
}

static void end_stream(pool_streams *streams, pool_stream *ending)
{
    struct stream *object = ending->object;
    if (!capture_stream_done(object)) {
        ending->pending = mark(ending->place, &ending->place_record, object) == LAB_SUCCESS;
        if (!ending->pending) runtime_backend()->context_wait(object->context->native);
    }
    set_ended(streams, ending);
}

/* Called without a lock. */
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

static void end_context(pool_streams *streams, pool_stream *stream)
{
    stream->pending = false;
    drop_places(stream);
    if (stream->object) set_ended(streams, stream);
}

/* Called without a lock. */
static void note_context_end(struct context *ending)
{
    pthread_mutex_lock(&registry_lock);
    for (pool_streams *each = registered; each; each = each->next) {
        pthread_mutex_lock(&each->lock);
        for (pool_stream *stream = each->first, *next; stream; stream = next) {
            next = stream->next;
            if (stream->context == ending) end_context(each, stream);
        }
        pthread_mutex_unlock(&each->lock);
    }
    pthread_mutex_unlock(&registry_lock);
}

static const lifetime_listener listener = {note_stream_end, note_context_end};

void pool_streams_open(pool_streams *streams)
{
    context_set_listener(&listener);
    pthread_mutex_init(&streams->lock, NULL);
    pthread_mutex_lock(&registry_lock);
    streams->next = registered;
    if (registered) registered->previous = streams;
    registered = streams;
    pthread_mutex_unlock(&registry_lock);
}

/* A stream that has ended is refused: its end has been told already. */
static pool_stream *make_stream(pool_streams *streams, struct stream *stream)
{
    if (atomic_load(&stream->ended)) return NULL;
    if (!number_map_reserve(&streams->by_id, 1)) return NULL;
    pool_stream *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (runtime_backend()->event_create(&made->place, stream->context->native, LAB_EVENT_DISABLE_TIMING) !=
        LAB_SUCCESS) {
        free(made);
        return NULL;
    }
    made->id = stream->identity.id;
    made->object = stream;
    made->context = stream->context;
    made->next = streams->first;
    if (streams->first) streams->first->previous = made;
    streams->first = made;
    number_map_put(&streams->by_id, stream->identity.id, made);
    return made;
}

pool_stream *pool_stream_of_any(pool_streams *streams, struct stream *stream)
{
    pool_stream *known = number_map_get(&streams->by_id, stream->identity.id);
    return streams->latest = known ? known : make_stream(streams, stream);
}

void pool_stream_release(pool_streams *streams, pool_stream *stream)
{
    if (--stream->references == 0 && !stream->object) free_stream(streams, stream);
}

bool pool_stream_done(pool_stream *stream)
{
    if (stream->object) return capture_stream_done(stream->object);
    if (stream->pending) stream->pending = !capture_event_done(stream->place);
    return !stream->pending;
}

lab_status pool_stream_wait(pool_stream *waiting, pool_stream *other)
{
    if (pool_stream_done(other)) return LAB_SUCCESS;
    if (other->object && mark(other->place, &other->place_record, other->object) != LAB_SUCCESS)
        return runtime_backend()->context_wait(other->context->native);
    return wait_for(other->place, other->place_record, waiting->object);
}

static pool_use *make_use(pool_stream *user)
{
    pool_use *made = user->spare;
    if (made) {
        user->spare = made->next;
        return made;
    }
    made = calloc(1, sizeof *made);
    if (!made) return NULL;
    if (runtime_backend()->event_create(&made->place, user->context->native, LAB_EVENT_DISABLE_TIMING) != LAB_SUCCESS) {
        free(made);
        return NULL;
    }
    made->made_before = user->uses;
    return user->uses = made;
}

bool pool_uses_know(const pool_use *uses, const pool_stream *user)
{
    while (uses && uses->user != user) uses = uses->next;
    return uses;
}

bool pool_uses_note(pool_use **uses, pool_stream *user)
{
    if (pool_uses_know(*uses, user)) return true;
    pool_use *made = make_use(user);
    if (!made) return false;
    *made = (pool_use){.user = user, .place = made->place, .made_before = made->made_before, .next = *uses};
    user->references++;
    *uses = made;
    return true;
}

static lab_status mark_use(pool_use *use)
{
    lab_status status = mark(use->place, &use->record, use->user->object);
    use->marked = status == LAB_SUCCESS;
    return status;
}

void pool_uses_mark(pool_streams *streams, pool_use *uses)
{
    for (pool_use *each = uses; each; each = each->next) {
        each->sequence = ++streams->marks;
        if (each->user->object) mark_use(each);
    }
}

static bool use_done(pool_use *use)
{
    if (!use->place) return true;
    return use->marked ? capture_event_done(use->place) : pool_stream_done(use->user);
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
        if (each->user == waiting || !each->place) continue;
        LAB_TRY(each->marked ? wait_for(each->place, each->record, waiting->object)
                             : pool_stream_wait(waiting, each->user));
    }
    return LAB_SUCCESS;
}

static void drop_use(pool_streams *streams, pool_use *use)
{
    pool_stream *user = use->user;
    use->next = user->spare;
    user->spare = use;
    pool_stream_release(streams, user);
}

void pool_uses_join(pool_streams *streams, pool_use **uses, pool_use **other)
{
    while (*other) {
        pool_use *moved = *other, **link = uses;
        *other = moved->next;
        while (*link && (*link)->user != moved->user) link = &(*link)->next;
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
