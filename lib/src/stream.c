/* Streams: their handles and numbers, the calling thread's current stream, and waiting. The device behind the seam
 * keeps the order. */
#include "stream.h"

#include "handle.h"
#include "trace/record.h"

#include <pthread.h>
#include <stdlib.h>

static _Atomic uint64_t last_id;

static _Thread_local lab_stream *current;    /* NULL: the null stream of the current context */
static _Thread_local lab_stream *per_thread; /* NULL: not made yet */
static pthread_once_t per_thread_key_once = PTHREAD_ONCE_INIT;
static pthread_key_t per_thread_key; /* its destructor gives the thread's stream back when the thread ends */

static lab_stream *as_handle(uint64_t handle) { return (lab_stream *)(uintptr_t)handle; }

static struct stream *object_of(lab_stream *handle) { return handle_get(HANDLE_STREAM, (uintptr_t)handle); }

lab_status stream_resolve(struct stream **out, lab_stream *handle, const char *call)
{
    LAB_TRY(runtime_check());
    if (handle) {
        *out = object_of(handle);
        if (*out) return LAB_SUCCESS;
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the stream was destroyed before this call, or never created", call);
    }
    if (current) {
        *out = object_of(current);
        if (*out) return LAB_SUCCESS;
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "%s: this thread's current stream was destroyed; make another one current with lab_stream_use", call);
    }
    struct context *context_now;
    LAB_TRY(runtime_context(&context_now));
    *out = object_of(context_now->null_stream);
    return LAB_SUCCESS;
}

/* Wraps a native stream, which the new object owns unless it is the null stream. */
static lab_status adopt(lab_stream **out, const struct stream *properties)
{
    struct stream *made = malloc(sizeof *made);
    uint64_t handle = 0;
    if (made) {
        *made = *properties;
        handle = handle_create(HANDLE_STREAM, made);
    }
    if (!handle) {
        free(made);
        return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for another stream");
    }
    made->handle = as_handle(handle);
    made->id = atomic_fetch_add(&last_id, 1) + 1;
    record_stream(made);
    *out = made->handle;
    return LAB_SUCCESS;
}

lab_status stream_adopt_null(lab_stream **out, struct context *owner)
{
    return adopt(out, &(struct stream){.context = owner, .native = runtime_backend()->stream_null(owner->native), .null = true});
}

static lab_status create(lab_stream **out, unsigned flags, bool is_per_thread)
{
    struct stream properties = {.flags = flags, .per_thread = is_per_thread};
    LAB_TRY(runtime_context(&properties.context));
    LAB_TRY(runtime_backend()->stream_create(&properties.native, properties.context->native, flags));
    lab_status status = adopt(out, &properties);
    if (status != LAB_SUCCESS) runtime_backend()->stream_destroy(properties.native);
    return status;
}

lab_status lab_stream_create(lab_stream **out, unsigned flags)
{
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_create: out is NULL");
    *out = NULL;
    if (flags > LAB_STREAM_NON_BLOCKING)
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_stream_create: flags is %u; use LAB_STREAM_DEFAULT or LAB_STREAM_NON_BLOCKING", flags);
    LAB_TRY(create(out, flags, false));
    struct stream *made = object_of(*out);
    record_entry *entry = record_begin(LAB_OP_STREAM_CREATE, made->context->device);
    record_on_stream(entry, made);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
}

static lab_status release(lab_stream *handle)
{
    struct stream *removed = handle_remove(HANDLE_STREAM, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE, "lab_stream_destroy: the stream was already destroyed, or never created");
    lab_status status = runtime_backend()->stream_destroy(removed->native);
    free(removed);
    return status;
}

lab_status lab_stream_destroy(lab_stream *handle)
{
    if (!handle) return LAB_SUCCESS;
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_destroy"));
    if (found->null || found->per_thread)
        return lab_fail(LAB_ERROR_NOT_PERMITTED, "lab_stream_destroy: %s cannot be destroyed",
                        found->null ? "the null stream" : "a thread's default stream");
    record_entry *entry = record_begin(LAB_OP_STREAM_DESTROY, found->context->device);
    record_on_stream(entry, found);
    lab_status status = release(handle);
    record_end(entry, status);
    return status;
}

lab_stream *lab_stream_null(void)
{
    struct context *context_now;
    return runtime_context(&context_now) == LAB_SUCCESS ? context_now->null_stream : NULL;
}

static void release_per_thread(void *handle) { release(handle); }

static void make_per_thread_key(void) { pthread_key_create(&per_thread_key, release_per_thread); }

lab_stream *lab_stream_per_thread(void)
{
    if (per_thread) return per_thread;
    pthread_once(&per_thread_key_once, make_per_thread_key);
    if (create(&per_thread, LAB_STREAM_DEFAULT, true) != LAB_SUCCESS) return NULL;
    pthread_setspecific(per_thread_key, per_thread);
    return per_thread;
}

lab_stream *lab_stream_current(void) { return current ? current : lab_stream_null(); }

lab_status lab_stream_use(lab_stream *handle)
{
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_use"));
    current = found->handle;
    return LAB_SUCCESS;
}

lab_stream_scope lab_stream_scope_enter(lab_stream *handle)
{
    lab_stream_scope scope = {.before = current, .entered = true};
    if (handle) current = handle;
    return scope;
}

void lab_stream_scope_leave(lab_stream_scope *scope) { current = scope->before; }

lab_status lab_stream_synchronize(lab_stream *handle)
{
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_synchronize"));
    record_entry *entry = record_begin(LAB_OP_STREAM_SYNC, found->context->device);
    record_on_stream(entry, found);
    lab_status status = runtime_backend()->stream_synchronize(found->native);
    record_end(entry, status);
    return status;
}

lab_status lab_stream_query(lab_stream *handle)
{
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_query"));
    return runtime_backend()->stream_query(found->native);
}

lab_status lab_stream_get_id(uint64_t *id, lab_stream *handle)
{
    if (!id) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_get_id: id is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_get_id"));
    *id = found->id;
    return LAB_SUCCESS;
}

typedef struct host_call {
    void (*function)(void *user);
    void *user;
} host_call;

/* What the device calls: the caller's function, with calls of this library refused meanwhile. */
static void run_host_function(void *user)
{
    host_call call = *(host_call *)user;
    free(user);
    runtime_enter_host_function();
    call.function(call.user);
    runtime_leave_host_function();
}

lab_status lab_stream_launch_host_func(lab_stream *handle, void (*function)(void *user), void *user)
{
    if (!function) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_stream_launch_host_func: function is NULL");
    struct stream *found;
    LAB_TRY(stream_resolve(&found, handle, "lab_stream_launch_host_func"));
    host_call *call = malloc(sizeof *call);
    if (!call) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue a host function");
    *call = (host_call){function, user};
    record_entry *entry = record_begin(LAB_OP_HOST_FUNCTION, found->context->device);
    record_on_stream(entry, found);
    lab_status status = runtime_backend()->host_function(found->native, run_host_function, call, record_times(entry));
    if (status != LAB_SUCCESS) free(call);
    record_end(entry, status);
    return status;
}
