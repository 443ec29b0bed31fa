/* Host functions and callbacks, enqueued on streams. */
#include "host_call.h"

#include "base/program/host_function.h"
#include "base/program/program.h"
#include "base/status.h"
#include "declared_uses.h"
#include "objects/contexts/stream_record.h"
#include "order/order.h"

#include <stdlib.h>

/* Either a host function or a callback. `name`, `use` and `ends`: of one for the memory of a graph. */
typedef struct host_call {
    void (*function)(void *user);
    void (*callback)(lab_stream *stream, lab_status status, void *user);
    lab_stream *stream;
    void *user;
    order_host_call *order;
    const char *name;
    const lab_trace_access *use;
    bool ends;
} host_call;

/* Called by the device: calls the program's function, which cannot call this library meanwhile. After a kernel has
 * failed only callbacks are called, with the error. */
static void run_host_function(void *user, lab_status status)
{
    const host_call *call = user;
    if (status != LAB_SUCCESS && !call->callback) return;
    host_function_enter();
    order_host_call_begin(call->order);
    if (call->callback)
        program_call_callback(call->callback, call->stream, status, call->user);
    else
        program_call_host_function(call->function, call->user);
    order_host_call_end();
    host_function_leave();
}

static void release_host_call(void *released)
{
    host_call *call = released;
    order_host_call_release(call->order);
    free(call);
}

static lab_status enqueue_host_call(lab_stream *handle, host_call filled, const char *name)
{
    RETIRE_SCOPE;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, handle, name));
    filled.stream = stream->handle;
    host_call *call = malloc(sizeof *call);
    if (!call) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "%s: no host memory to enqueue a host function", name);
    *call = filled;
    call->order = order_host_call_create();
    record_entry *entry = submission_begin_on(LAB_OP_HOST_FUNCTION, stream);
    backend_host_call enqueued = {run_host_function, release_host_call, call, .callback = call->callback != NULL,
                                  .name = call->name};
    if (call->use) {
        record_name(entry, call->name);
        record_access(entry, *call->use);
    } else {
        declared_uses_take(entry);
    }
    lab_status status = submission_check(entry, NULL);
    submission_calls(entry, call->order);
    if (call->ends) submission_ends_memory(entry);
    if (status == LAB_SUCCESS)
        status = runtime_backend()->host_function(stream->native, &enqueued, record_times(entry));
    else
        release_host_call(call);
    submission_end(entry, status);
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

void host_call_work(const backend_host_work *work)
{
    if (runtime_backend()->host_work)
        runtime_backend()->host_work(work);
    else
        work->function(work->user);
}

lab_status host_call_enqueue_for_memory(lab_stream *handle, void (*function)(void *user), const char *name,
                                        const lab_trace_access *use, bool ends)
{
    return enqueue_host_call(handle, (host_call){.function = function, .name = name, .use = use, .ends = ends}, name);
}
