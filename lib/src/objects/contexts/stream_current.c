/* The calling thread's own streams in each context: its current stream and its per-thread default stream. */
#include "base/status.h"
#include "context_stack.h"
#include "stream_lifetime.h"

#include <pthread.h>

/* The streams of a thread in one context. */
typedef struct thread_streams {
    lab_context *context;
    lab_stream *current;    /* NULL: the null stream */
    bool by_scope;          /* LAB_WITH_STREAM made it current, not lab_stream_use */
    lab_stream *per_thread; /* NULL: not made yet */
} thread_streams;

enum { MOST_CONTEXTS = 64 };
static _Thread_local thread_streams own_streams[MOST_CONTEXTS];
static _Thread_local int own_contexts;
/* LAB_WITH_STREAM scopes of this thread that found no place: their streams cannot be current. */
static _Thread_local int scopes_without_place;
static pthread_once_t per_thread_key_once = PTHREAD_ONCE_INIT;
static pthread_key_t per_thread_key; /* its destructor releases the thread's streams when the thread ends */

static struct stream *object_of(lab_stream *handle) { return handle_get(HANDLE_STREAM, (uintptr_t)handle); }

/* The streams of this thread in the context; NULL if it has none. */
static thread_streams *find_streams(const lab_context *context)
{
    for (int i = 0; i < own_contexts; i++)
        if (own_streams[i].context == context) return &own_streams[i];
    return NULL;
}

static bool is_worth_keeping(const thread_streams *streams)
{
    return handle_get(HANDLE_CONTEXT, (uintptr_t)streams->context) && (streams->current || streams->per_thread);
}

/* The same, added if need be. NULL if the thread has streams in too many contexts. */
static thread_streams *make_streams(lab_context *context)
{
    thread_streams *found = find_streams(context);
    if (found) return found;
    if (own_contexts == MOST_CONTEXTS) {
        own_contexts = 0;
        for (int i = 0; i < MOST_CONTEXTS; i++)
            if (is_worth_keeping(&own_streams[i])) own_streams[own_contexts++] = own_streams[i];
    }
    if (own_contexts == MOST_CONTEXTS) return NULL;
    found = &own_streams[own_contexts++];
    *found = (thread_streams){.context = context};
    return found;
}

const struct stream *stream_find_current(const struct context *current)
{
    const thread_streams *mine = find_streams(current->handle);
    const struct stream *found = object_of(mine && mine->current ? mine->current : current->null_stream);
    return found && found->wrapped ? object_of(found->wrapped) : found;
}

bool stream_current_is_by_scope(const struct context *current)
{
    const thread_streams *mine = find_streams(current->handle);
    return mine && mine->by_scope;
}

static lab_status no_place(const char *call)
{
    return lab_fail(LAB_ERROR_NOT_PERMITTED,
                    "%s: this thread has streams of its own in %d contexts, the most there can be", call,
                    MOST_CONTEXTS);
}

static lab_status resolve_current(struct stream **out, const char *call)
{
    struct context *current;
    LAB_TRY(context_current(&current));
    if (scopes_without_place) return no_place(call);
    const thread_streams *mine = find_streams(current->handle);
    *out = object_of(mine && mine->current ? mine->current : current->null_stream);
    if (!*out)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "%s: this thread's current stream was destroyed; make another one current with lab_stream_use",
                        call);
    if ((*out)->wrapped) return stream_resolve(out, (*out)->wrapped, call);
    if ((*out)->context == current) return LAB_SUCCESS;
    char stream_context[CONTEXT_NAME_BYTES], current_context[CONTEXT_NAME_BYTES];
    return lab_fail(
        LAB_ERROR_INVALID_CONTEXT,
        "%s: the stream made current, stream %llu, belongs to %s, but %s is current; make the stream's own context "
        "current first",
        call, (unsigned long long)(*out)->identity.id,
        context_describe(stream_context, sizeof stream_context, (*out)->context),
        context_describe(current_context, sizeof current_context, current));
}

lab_status stream_resolve_any(struct stream **out, lab_stream *handle, const char *call)
{
    LAB_TRY(runtime_check());
    if (!handle) return resolve_current(out, call);
    *out = object_of(handle);
    if (*out && (*out)->wrapped) *out = object_of((*out)->wrapped);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the stream was destroyed before this call, or never created", call);
}

lab_stream *lab_stream_null(void)
{
    RETIRE_SCOPE;
    struct context *current;
    return context_current(&current) == LAB_SUCCESS ? current->null_stream : NULL;
}

/* Releases the per-thread streams of a thread that ends. */
static void release_per_thread(void *unused)
{
    RETIRE_SCOPE;
    (void)unused;
    for (int i = 0; i < own_contexts; i++) {
        struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)own_streams[i].per_thread);
        if (removed) stream_release(removed);
    }
}

static void make_per_thread_key(void) { pthread_key_create(&per_thread_key, release_per_thread); }

lab_stream *lab_stream_per_thread(void)
{
    RETIRE_SCOPE;
    CONTEXT_HELD struct context *current = NULL;
    if (context_hold_current(&current) != LAB_SUCCESS) return NULL;
    thread_streams *mine = make_streams(current->handle);
    if (!mine) {
        no_place("lab_stream_per_thread");
        return NULL;
    }
    if (object_of(mine->per_thread)) return mine->per_thread;
    pthread_once(&per_thread_key_once, make_per_thread_key);
    struct stream *made;
    if (stream_make(&made, (struct stream){.context = current, .per_thread = true}) != LAB_SUCCESS) return NULL;
    mine->per_thread = made->handle;
    pthread_setspecific(per_thread_key, own_streams);
    return mine->per_thread;
}

lab_stream *lab_stream_current(void)
{
    RETIRE_SCOPE;
    struct context *current;
    if (context_current(&current) != LAB_SUCCESS) return NULL;
    const thread_streams *mine = find_streams(current->handle);
    return mine && mine->current ? mine->current : current->null_stream;
}

lab_status lab_stream_use(lab_stream *handle)
{
    RETIRE_SCOPE;
    struct stream *found;
    struct context *current;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_use"));
    LAB_TRY(context_current(&current));
    char stream_context[CONTEXT_NAME_BYTES], current_context[CONTEXT_NAME_BYTES];
    if (found->context != current)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_stream_use: stream %llu belongs to %s, but %s is current; make the stream's own context current first",
            (unsigned long long)found->identity.id,
            context_describe(stream_context, sizeof stream_context, found->context),
            context_describe(current_context, sizeof current_context, current));
    thread_streams *mine = make_streams(current->handle);
    if (!mine) return no_place("lab_stream_use");
    if (!handle) return LAB_SUCCESS;
    mine->current = handle;
    mine->by_scope = false;
    return LAB_SUCCESS;
}

lab_stream_scope lab_stream_scope_enter(lab_stream *handle)
{
    RETIRE_SCOPE;
    lab_stream_scope scope = {.entered = true};
    struct context *current;
    if (!handle || context_current(&current) != LAB_SUCCESS) return scope;
    thread_streams *mine = make_streams(current->handle);
    if (!mine) {
        scopes_without_place++;
        scope.without_place = true;
        return scope;
    }
    scope.context = current->handle;
    scope.before = mine->current;
    scope.before_by_scope = mine->by_scope;
    mine->current = handle;
    mine->by_scope = true;
    return scope;
}

void lab_stream_scope_leave(lab_stream_scope *scope)
{
    if (scope->without_place) scopes_without_place--;
    thread_streams *mine = scope->context ? find_streams(scope->context) : NULL;
    if (!mine) return;
    mine->current = scope->before;
    mine->by_scope = scope->before_by_scope;
}
