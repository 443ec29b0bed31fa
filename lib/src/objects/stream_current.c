/* The calling thread's own streams in each context: its current one, and its per-thread default stream. */
#include "base/status.h"
#include "context_stack.h"
#include "stream_lifetime.h"

#include <pthread.h>

/* What a thread has in one context. */
typedef struct thread_streams {
    lab_context *context;
    lab_stream *current;    /* NULL: the null stream */
    lab_stream *per_thread; /* NULL: not made yet */
} thread_streams;

enum { MOST_CONTEXTS = 64 };
static _Thread_local thread_streams of_thread[MOST_CONTEXTS];
static _Thread_local int contexts_of_thread;
static _Thread_local int scopes_without_place; /* LAB_WITH_STREAM found no room: its stream cannot be current */
static pthread_once_t per_thread_key_once = PTHREAD_ONCE_INIT;
static pthread_key_t per_thread_key; /* its destructor gives the thread's streams back when the thread ends */

static struct stream *object_of(lab_stream *handle) { return handle_get(HANDLE_STREAM, (uintptr_t)handle); }

/* What the thread has in the context; NULL if nothing. */
static thread_streams *find_streams(const lab_context *context)
{
    for (int i = 0; i < contexts_of_thread; i++)
        if (of_thread[i].context == context) return &of_thread[i];
    return NULL;
}

static bool is_worth_keeping(const thread_streams *of)
{
    return handle_get(HANDLE_CONTEXT, (uintptr_t)of->context) && (of->current || of->per_thread);
}

/* The same, with a place made for it; NULL if the thread has streams in too many contexts already. */
static thread_streams *make_streams(lab_context *context)
{
    thread_streams *found = find_streams(context);
    if (found) return found;
    if (contexts_of_thread == MOST_CONTEXTS) {
        contexts_of_thread = 0;
        for (int i = 0; i < MOST_CONTEXTS; i++)
            if (is_worth_keeping(&of_thread[i])) of_thread[contexts_of_thread++] = of_thread[i];
    }
    if (contexts_of_thread == MOST_CONTEXTS) return NULL;
    found = &of_thread[contexts_of_thread++];
    *found = (thread_streams){.context = context};
    return found;
}

static lab_status no_place(const char *call)
{
    return lab_fail(LAB_ERROR_NOT_PERMITTED,
                    "%s: this thread has streams of its own in %d contexts, the most there can be", call,
                    MOST_CONTEXTS);
}

static lab_status resolve_current(struct stream **out, const char *call)
{
    struct context *now;
    LAB_TRY(context_current(&now));
    if (scopes_without_place) return no_place(call);
    const thread_streams *mine = find_streams(now->handle);
    *out = object_of(mine && mine->current ? mine->current : now->null_stream);
    if (!*out)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "%s: this thread's current stream was destroyed; make another one current with lab_stream_use",
                        call);
    if ((*out)->wrapped) return stream_resolve(out, (*out)->wrapped, call);
    if ((*out)->context == now) return LAB_SUCCESS;
    char stream_words[CONTEXT_WORDS], now_words[CONTEXT_WORDS];
    return lab_fail(
        LAB_ERROR_INVALID_CONTEXT,
        "%s: the stream made current, stream %llu, belongs to %s, but %s is current; make the stream's own context "
        "current first",
        call, (unsigned long long)(*out)->identity.id,
        context_describe(stream_words, sizeof stream_words, (*out)->context),
        context_describe(now_words, sizeof now_words, now));
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
    struct context *now;
    return context_current(&now) == LAB_SUCCESS ? now->null_stream : NULL;
}

/* The thread ends. */
static void release_per_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < contexts_of_thread; i++) {
        struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)of_thread[i].per_thread);
        if (removed) stream_release(removed);
    }
}

static void make_per_thread_key(void) { pthread_key_create(&per_thread_key, release_per_thread); }

lab_stream *lab_stream_per_thread(void)
{
    struct context *now;
    if (context_current(&now) != LAB_SUCCESS) return NULL;
    thread_streams *mine = make_streams(now->handle);
    if (!mine) {
        no_place("lab_stream_per_thread");
        return NULL;
    }
    if (object_of(mine->per_thread)) return mine->per_thread;
    pthread_once(&per_thread_key_once, make_per_thread_key);
    struct stream *made;
    if (stream_make(&made, (struct stream){.context = now, .per_thread = true}) != LAB_SUCCESS) return NULL;
    mine->per_thread = made->handle;
    pthread_setspecific(per_thread_key, of_thread);
    return mine->per_thread;
}

lab_stream *lab_stream_current(void)
{
    struct context *now;
    if (context_current(&now) != LAB_SUCCESS) return NULL;
    const thread_streams *mine = find_streams(now->handle);
    return mine && mine->current ? mine->current : now->null_stream;
}

lab_status lab_stream_use(lab_stream *handle)
{
    struct stream *found;
    struct context *now;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_use"));
    LAB_TRY(context_current(&now));
    char stream_words[CONTEXT_WORDS], now_words[CONTEXT_WORDS];
    if (found->context != now)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_stream_use: stream %llu belongs to %s, but %s is current; make the stream's own context current first",
            (unsigned long long)found->identity.id, context_describe(stream_words, sizeof stream_words, found->context),
            context_describe(now_words, sizeof now_words, now));
    thread_streams *mine = make_streams(now->handle);
    if (!mine) return no_place("lab_stream_use");
    if (handle) mine->current = handle;
    return LAB_SUCCESS;
}

lab_stream_scope lab_stream_scope_enter(lab_stream *handle)
{
    lab_stream_scope scope = {.entered = true};
    struct context *now;
    if (!handle || context_current(&now) != LAB_SUCCESS) return scope;
    thread_streams *mine = make_streams(now->handle);
    if (!mine) {
        scopes_without_place++;
        scope.without_place = true;
        return scope;
    }
    scope.context = now->handle;
    scope.before = mine->current;
    mine->current = handle;
    return scope;
}

void lab_stream_scope_leave(lab_stream_scope *scope)
{
    if (scope->without_place) scopes_without_place--;
    thread_streams *mine = scope->context ? find_streams(scope->context) : NULL;
    if (mine) mine->current = scope->before;
}
