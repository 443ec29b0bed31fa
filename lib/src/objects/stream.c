/* Streams: their handles and numbers, the calling thread's current stream, and waiting. The device behind the seam
 * keeps the order. */
#include "stream.h"

#include "pools/pool_stream.h"
#include "order/order.h"
#include "record/record.h"

#include <pthread.h>
#include <stdlib.h>

static _Atomic uint64_t last_id;

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

static lab_stream *as_handle(uint64_t handle) { return (lab_stream *)(uintptr_t)handle; }

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
    LAB_TRY(runtime_context(&now));
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
        call, (unsigned long long)(*out)->id, context_describe(stream_words, sizeof stream_words, (*out)->context),
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

/* Makes the handle of an object with these properties. */
static lab_status adopt(struct stream **out, const struct stream *properties)
{
    struct stream *made = malloc(sizeof *made);
    uint64_t handle = 0;
    if (made) {
        *made = *properties;
        handle = handle_create(HANDLE_STREAM, made);
    }
    if (!handle) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    }
    made->handle = as_handle(handle);
    *out = made;
    return LAB_SUCCESS;
}

static void give_number(struct stream *made)
{
    made->id = atomic_fetch_add(&last_id, 1) + 1;
    record_stream(made);
}

lab_status stream_adopt_null(lab_stream **out, struct context *owner)
{
    struct stream *made = NULL;
    LAB_TRY(adopt(&made, &(struct stream){
                             .context = owner, .native = runtime_backend()->stream_null(owner->native), .null = true}));
    give_number(made);
    *out = made->handle;
    return LAB_SUCCESS;
}

void stream_drop_null(lab_stream *handle)
{
    struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)handle);
    pools_note_stream_end(removed);
    free(removed);
}

/* The stream's context ends, and the stream with it. */
static void end_with_context(context_member *member)
{
    struct stream *ended = (struct stream *)((char *)member - offsetof(struct stream, member));
    handle_remove(HANDLE_STREAM, (uintptr_t)ended->handle);
    if (!ended->wrapped) pools_note_stream_end(ended);
    if (!ended->wrapped) order_stream_ended(ended);
    if (!ended->wrapped) runtime_backend()->stream_destroy(ended->native);
    free(ended);
}

/* Makes the object of a native stream, which is given back if that fails. */
static lab_status begin(struct stream **out, const struct stream *properties)
{
    lab_status status = adopt(out, properties);
    if (status != LAB_SUCCESS) {
        runtime_backend()->stream_destroy(properties->native);
        return status;
    }
    give_number(*out);
    context_add(properties->context, &(*out)->member, end_with_context);
    return LAB_SUCCESS;
}

/* Makes a stream in the current context. */
static lab_status create(struct stream **out, struct stream properties)
{
    LAB_TRY(runtime_backend()->stream_create(&properties.native, properties.context->native, properties.flags,
                                             properties.priority));
    return begin(out, &properties);
}

static int clamp(int priority, int least, int greatest)
{
    return priority > least ? least : priority < greatest ? greatest : priority;
}

static lab_status create_public(lab_stream **out, unsigned flags, int priority, const char *call)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    if (flags > LAB_STREAM_NON_BLOCKING)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: flags is %u; use LAB_STREAM_DEFAULT or LAB_STREAM_NON_BLOCKING",
                        call, flags);
    struct context *owner;
    struct stream *made;
    LAB_TRY(runtime_context(&owner));
    int least, greatest;
    runtime_backend()->stream_priorities(&least, &greatest, owner->device);
    record_entry *entry = record_begin(LAB_OP_STREAM_CREATE, owner->device);
    lab_status status =
        create(&made, (struct stream){.context = owner, .flags = flags, .priority = clamp(priority, least, greatest)});
    if (status == LAB_SUCCESS) {
        record_on_stream(entry, made);
        *out = made->handle;
    }
    record_end(entry, status);
    return status;
}

lab_status lab_stream_create(lab_stream **out, unsigned flags)
{
    return create_public(out, flags, 0, "lab_stream_create");
}

lab_status lab_stream_create_with_priority(lab_stream **out, unsigned flags, int priority)
{
    return create_public(out, flags, priority, "lab_stream_create_with_priority");
}

/* Frees what a handle was just taken from. */
static lab_status release(struct stream *removed)
{
    context_remove(removed->context, &removed->member);
    if (!removed->wrapped) pools_note_stream_end(removed);
    if (!removed->wrapped) order_stream_ended(removed);
    lab_status status = removed->wrapped ? LAB_SUCCESS : runtime_backend()->stream_destroy(removed->native);
    free(removed);
    return status;
}

static bool may_be_destroyed(const void *object)
{
    const struct stream *stream = object;
    return !stream->null && !stream->per_thread;
}

lab_status lab_stream_destroy(lab_stream *handle)
{
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct stream *removed = handle_remove_if(HANDLE_STREAM, (uintptr_t)handle, may_be_destroyed);
    if (!removed) {
        LAB_TRY(stream_resolve(&removed, handle, "lab_stream_destroy"));
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_stream_destroy: %s cannot be destroyed",
                        removed->null ? "the null stream" : "a thread's default stream");
    }
    if (removed->wrapped) return release(removed);
    record_entry *entry = record_begin_on(LAB_OP_STREAM_DESTROY, removed);
    lab_status status = release(removed);
    record_end(entry, status);
    return status;
}

lab_stream *lab_stream_null(void)
{
    struct context *now;
    return runtime_context(&now) == LAB_SUCCESS ? now->null_stream : NULL;
}

/* The thread ends. */
static void release_per_thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < contexts_of_thread; i++) {
        struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)of_thread[i].per_thread);
        if (removed) release(removed);
    }
}

static void make_per_thread_key(void) { pthread_key_create(&per_thread_key, release_per_thread); }

lab_stream *lab_stream_per_thread(void)
{
    struct context *now;
    if (runtime_context(&now) != LAB_SUCCESS) return NULL;
    thread_streams *mine = make_streams(now->handle);
    if (!mine) {
        no_place("lab_stream_per_thread");
        return NULL;
    }
    if (object_of(mine->per_thread)) return mine->per_thread;
    pthread_once(&per_thread_key_once, make_per_thread_key);
    struct stream *made;
    if (create(&made, (struct stream){.context = now, .per_thread = true}) != LAB_SUCCESS) return NULL;
    mine->per_thread = made->handle;
    pthread_setspecific(per_thread_key, of_thread);
    return mine->per_thread;
}

lab_stream *lab_stream_current(void)
{
    struct context *now;
    if (runtime_context(&now) != LAB_SUCCESS) return NULL;
    const thread_streams *mine = find_streams(now->handle);
    return mine && mine->current ? mine->current : now->null_stream;
}

lab_status lab_stream_use(lab_stream *handle)
{
    struct stream *found;
    struct context *now;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_use"));
    LAB_TRY(runtime_context(&now));
    char stream_words[CONTEXT_WORDS], now_words[CONTEXT_WORDS];
    if (found->context != now)
        return lab_fail(
            LAB_ERROR_INVALID_CONTEXT,
            "lab_stream_use: stream %llu belongs to %s, but %s is current; make the stream's own context current first",
            (unsigned long long)found->id, context_describe(stream_words, sizeof stream_words, found->context),
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
    if (!handle || runtime_context(&now) != LAB_SUCCESS) return scope;
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

lab_status lab_stream_synchronize(lab_stream *handle)
{
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_synchronize"));
    record_entry *entry = record_begin_on(LAB_OP_STREAM_SYNC, found);
    uint64_t covered = stream_begin_wait(found);
    lab_status status = runtime_backend()->stream_synchronize(found->native);
    if (status == LAB_SUCCESS) stream_end_wait(found, covered);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_query(lab_stream *handle)
{
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_query"));
    order_clock *covered = order_cover_stream(found);
    lab_status status = runtime_backend()->stream_query(found->native);
    order_wait_ended(covered, status == LAB_SUCCESS);
    return status;
}

lab_status lab_stream_get_id(uint64_t *id, lab_stream *handle)
{
    if (!id) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_id: id is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_id"));
    *id = found->id;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_device(int *device, lab_stream *handle)
{
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_device: device is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_device"));
    *device = found->context->device;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_context(lab_context **context, lab_stream *handle)
{
    if (!context) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_context: context is NULL");
    *context = NULL;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_context"));
    *context = found->context->handle;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_flags(unsigned *flags, lab_stream *handle)
{
    if (!flags) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_flags: flags is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_flags"));
    *flags = found->flags;
    return LAB_SUCCESS;
}

lab_status lab_stream_get_priority(int *priority, lab_stream *handle)
{
    if (!priority) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_priority: priority is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_priority"));
    *priority = found->priority;
    return LAB_SUCCESS;
}

lab_status lab_stream_priority_range(int *least, int *greatest)
{
    if (!least || !greatest)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_priority_range: %s is NULL", least ? "greatest" : "least");
    struct context *now;
    LAB_TRY(runtime_context(&now));
    runtime_backend()->stream_priorities(least, greatest, now->device);
    return LAB_SUCCESS;
}

lab_status lab_stream_is_equal(bool *equal, lab_stream *one, lab_stream *other)
{
    if (!equal) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_is_equal: equal is NULL");
    struct stream *first, *second;
    LAB_TRY(stream_resolve(&first, one, "lab_stream_is_equal"));
    LAB_TRY(stream_resolve(&second, other, "lab_stream_is_equal"));
    *equal = first == second;
    return LAB_SUCCESS;
}

lab_status lab_stream_native(void **native, lab_stream *handle)
{
    if (!native) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_native: native is NULL");
    *native = NULL;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_native"));
    *native = runtime_backend()->stream_native(found->native);
    return LAB_SUCCESS;
}

/* The context's stream with this native handle; NULL if none has it. */
static lab_stream *find_native(struct context *in, const void *native)
{
    const lab_backend *backend = runtime_backend();
    if (backend->stream_native(backend->stream_null(in->native)) == native) return in->null_stream;
    lab_stream *found = NULL;
    pthread_mutex_lock(&in->lock);
    for (context_member *each = in->members.next; each != &in->members && !found; each = each->next) {
        if (each->end != end_with_context) continue;
        const struct stream *stream = (struct stream *)((char *)each - offsetof(struct stream, member));
        if (!stream->wrapped && backend->stream_native(stream->native) == native) found = stream->handle;
    }
    pthread_mutex_unlock(&in->lock);
    return found;
}

/* Another handle for a stream that has one. */
static lab_status name_again(struct stream **out, struct context *in, lab_stream *known)
{
    LAB_TRY(adopt(out, &(struct stream){.context = in, .wrapped = known}));
    context_add(in, &(*out)->member, end_with_context);
    return LAB_SUCCESS;
}

/* The first handle for a stream that this library did not make. */
static lab_status wrap_foreign(struct stream **out, struct context *in, void *native)
{
    struct stream properties = {.context = in};
    char words[CONTEXT_WORDS];
    lab_status status =
        runtime_backend()->stream_wrap(&properties.native, in->native, native, &properties.flags, &properties.priority);
    if (status == LAB_ERROR_INVALID_HANDLE)
        return lab_fail(status, "lab_stream_from_native: %p is the native handle of no stream of %s", native,
                        context_describe(words, sizeof words, in));
    return status == LAB_SUCCESS ? begin(out, &properties) : status;
}

lab_status lab_stream_from_native(lab_stream **out, void *native)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_from_native: out is NULL");
    *out = NULL;
    struct context *now;
    LAB_TRY(runtime_context(&now));
    lab_stream *known = find_native(now, native);
    struct stream *made = NULL;
    LAB_TRY(known ? name_again(&made, now, known) : wrap_foreign(&made, now, native));
    *out = made->handle;
    return LAB_SUCCESS;
}

/* Either a host function or a callback. */
typedef struct host_call {
    void (*function)(void *user);
    void (*callback)(lab_stream *stream, lab_status status, void *user);
    lab_stream *stream;
    void *user;
} host_call;

/* What the device calls: the caller's function, with calls of this library refused meanwhile. After a kernel has
 * failed only callbacks are called, which are given the error. */
static void run_host_function(void *user, lab_status status)
{
    const host_call *call = user;
    if (status != LAB_SUCCESS && !call->callback) return;
    runtime_enter_host_function();
    if (call->callback)
        call->callback(call->stream, status, call->user);
    else
        call->function(call->user);
    runtime_leave_host_function();
}

static lab_status enqueue_host_call(lab_stream *handle, host_call filled, const char *name)
{
    struct stream *on;
    LAB_TRY(stream_resolve(&on, handle, name));
    filled.stream = on->handle;
    host_call *call = malloc(sizeof *call);
    if (!call) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory to enqueue a host function", name);
    *call = filled;
    record_entry *entry = record_begin_on(LAB_OP_HOST_FUNCTION, on);
    backend_host_call enqueued = {run_host_function, free, call, .callback = call->callback != NULL};
    record_told_uses(entry);
    lab_status status = record_check(entry, NULL);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->host_function(on->native, &enqueued, record_times(entry));
    else
        free(call);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_launch_host_func(lab_stream *handle, void (*function)(void *user), void *user)
{
    if (!function) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_launch_host_func: function is NULL");
    return enqueue_host_call(handle, (host_call){.function = function, .user = user}, "lab_stream_launch_host_func");
}

lab_status lab_stream_add_callback(lab_stream *handle,
                                   void (*callback)(lab_stream *stream, lab_status status, void *user), void *user)
{
    if (!callback) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_add_callback: callback is NULL");
    return enqueue_host_call(handle, (host_call){.callback = callback, .user = user}, "lab_stream_add_callback");
}
