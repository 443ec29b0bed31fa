/* The object behind a lab_stream handle. */
#ifndef LAB_OBJECTS_CONTEXTS_STREAM_H
#define LAB_OBJECTS_CONTEXTS_STREAM_H

#include "base/handle.h"
#include "base/stream_identity.h"
#include "context.h"
#include "record/record.h"

struct stream {
    retired retired;
    stream_identity identity;
    struct context *context;
    backend_stream *native;
    lab_stream *handle;
    unsigned flags;
    int priority;
    bool per_thread;
    lab_stream *wrapped; /* not NULL: this object is only another handle for that stream */
    atomic_bool ended;   /* destroyed: what keeps things for streams takes no new ones for this one */
    context_member member;
    /* Counts of operations: whose enqueuing has begun, has ended, and that the host knows to be done. */
    _Atomic uint64_t begun, enqueued, known_done;
    record_answers answers;
};

/* Called before and after enqueuing an operation that uses memory. The first returns its number on the stream. */
static inline uint64_t stream_begin_work(struct stream *stream) { return atomic_fetch_add(&stream->begun, 1) + 1; }
static inline void stream_end_work(struct stream *stream) { atomic_fetch_add(&stream->enqueued, 1); }

/* Called before waiting for the stream. Returns how many operations the wait will cover; 0 if another thread is
 * enqueuing one. */
static inline uint64_t stream_begin_wait(struct stream *stream)
{
    uint64_t enqueued = atomic_load(&stream->enqueued);
    return atomic_load(&stream->begun) == enqueued ? enqueued : 0;
}

/* Called after the wait: notes that those operations are done. */
static inline void stream_end_wait(struct stream *stream, uint64_t covered)
{
    uint64_t known = atomic_load(&stream->known_done);
    while (known < covered && !atomic_compare_exchange_weak(&stream->known_done, &known, covered)) {}
}

/* The stream behind a handle; NULL means the calling thread's current stream. `call` names the public function
 * for the message. Opens the runtime. */
static inline lab_status stream_resolve(struct stream **out, lab_stream *handle, const char *call);

/* The calling thread's current stream in its current context; NULL if it was destroyed. */
const struct stream *stream_find_current(const struct context *current);

/* Whether LAB_WITH_STREAM made the calling thread's current stream current, not lab_stream_use. */
bool stream_current_is_by_scope(const struct context *current);

/* The same for all handles. stream_resolve handles the common case inline, since nearly every call begins with it. */
lab_status stream_resolve_any(struct stream **out, lab_stream *handle, const char *call);

static inline lab_status stream_resolve(struct stream **out, lab_stream *handle, const char *call)
{
    *out = handle_get(HANDLE_STREAM, (uintptr_t)handle);
    return *out && !(*out)->wrapped ? runtime_check() : stream_resolve_any(out, handle, call);
}

#endif
