/*
 * Host functions and callbacks on the CUDA devices. The driver does not call a host function after a kernel of the
 * context has failed, so each context keeps the ones that have not returned and releases them when it ends. The graph
 * and its executable graphs own a captured host function; the last of them releases it.
 */
#include "cuda_device_state.h"

#include "base/monotonic.h"

#include <stdlib.h>

typedef struct cuda_host_call {
    backend_host_call call;
    backend_context *context;
    backend_times *times;
    bool captured;
    bool unseen;                            /* the library's own: no graph shows it */
    struct cuda_host_call *next, *previous; /* in the context's list */
} cuda_host_call;

static void list(cuda_host_call *call)
{
    backend_context *context = call->context;
    pthread_mutex_lock(&context->lock);
    call->next = context->called;
    if (call->next) call->next->previous = call;
    context->called = call;
    pthread_mutex_unlock(&context->lock);
}

static void unlist(cuda_host_call *call)
{
    backend_context *context = call->context;
    pthread_mutex_lock(&context->lock);
    if (call->next) call->next->previous = call->previous;
    *(call->previous ? &call->previous->next : &context->called) = call->next;
    pthread_mutex_unlock(&context->lock);
}

static void release(cuda_host_call *call)
{
    call->call.release(call->call.user);
    free(call);
}

static void run(cuda_host_call *call, lab_status status)
{
    if (call->times) atomic_store(&call->times->start_ns, monotonic_ns());
    call->call.function(call->call.user, status);
    if (call->times) atomic_store(&call->times->end_ns, monotonic_ns());
    if (call->captured) return;
    unlist(call);
    release(call);
}

/* Called by the driver, which may not know of a failure yet. */
static void CUDA_CB run_host_function(void *user) { run(user, cuda_failure()); }

static void CUDA_CB run_callback(CUstream stream, CUresult result, void *user)
{
    (void)stream;
    cuda_host_call *call = user;
    run(call, cuda_status(result, "cuStreamAddCallback"));
}

static void CUDA_CB release_captured(void *user) { release(user); }

void cuda_host_calls_drop(backend_context *context)
{
    while (context->called) {
        cuda_host_call *call = context->called;
        unlist(call);
        release(call);
    }
}

/* Makes the graph the owner of the call: the call is released when the graph and all its executable graphs have ended.
 * */
static CUresult give_to_graph(CUgraph graph, cuda_host_call *call)
{
    CUuserObject owner;
    CUresult result = cuda.cuUserObjectCreate(&owner, call, release_captured, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
    if (result != CUDA_SUCCESS) {
        release(call);
        return result;
    }
    result = cuda.cuGraphRetainUserObject(graph, owner, 1, CU_GRAPH_USER_OBJECT_MOVE);
    if (result != CUDA_SUCCESS) cuda.cuUserObjectRelease(owner, 1); /* this releases the call */
    return result;
}

static lab_status capture(cuda_host_call *call, CUgraph graph, backend_stream *stream)
{
    call->captured = true;
    call->times = NULL;
    const bool unseen = call->unseen;
    const char *name = call->call.name ? call->call.name : "";
    CUresult result = give_to_graph(graph, call);
    if (result != CUDA_SUCCESS) return cuda_fail(result, "cuGraphRetainUserObject");
    CUDA_TRY(cuLaunchHostFunc, stream->native, run_host_function, call);
    if (unseen) return LAB_SUCCESS;
    return cuda_capture_note(stream, &(cuda_captured){.node = {.kind = LAB_NODE_HOST_FUNCTION, .name = name}});
}

static lab_status enqueue(cuda_host_call *call, backend_stream *stream)
{
    list(call);
    CUresult result = call->call.callback ? cuda.cuStreamAddCallback(stream->native, run_callback, call, 0)
                                          : cuda.cuLaunchHostFunc(stream->native, run_host_function, call);
    if (result == CUDA_SUCCESS) return LAB_SUCCESS;
    bool callback = call->call.callback;
    unlist(call);
    release(call);
    return cuda_fail(result, callback ? "cuStreamAddCallback" : "cuLaunchHostFunc");
}

/* Enqueues a call like this one, or captures it. */
static lab_status add(backend_stream *stream, const cuda_host_call *filled)
{
    lab_status status = cuda_enter(stream->context);
    cuda_host_call *made = status == LAB_SUCCESS ? malloc(sizeof *made) : NULL;
    if (!made) {
        filled->call.release(filled->call.user);
        return status != LAB_SUCCESS ? status
                                     : lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue a host function");
    }
    *made = *filled;
    CUgraph graph = made->call.callback ? NULL : cuda_captured_graph(stream);
    return graph ? capture(made, graph, stream) : enqueue(made, stream);
}

lab_status cuda_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times)
{
    atomic_store(&stream->context->calls_host, true);
    return add(stream, &(cuda_host_call){.call = *call, .context = stream->context, .times = times});
}

lab_status cuda_host_function_unseen(backend_stream *stream, const backend_host_call *call)
{
    return add(stream, &(cuda_host_call){.call = *call, .context = stream->context, .unseen = true});
}
