/* Streams and contexts of the CPU device: what an operation must wait for under CUDA's rules for the null stream,
 * blocking and non-blocking streams. */
#include "device.h"

#include <stdlib.h>

static bool is_idle(const backend_stream *stream) { return !stream->tail || cpu_op_done(stream->tail); }

/* Streams that were destroyed with work pending go once it is done. */
static void reap(backend_context *context)
{
    for (backend_stream **link = &context->streams; *link;) {
        backend_stream *stream = *link;
        if (stream->destroyed && is_idle(stream)) {
            *link = stream->next;
            cpu_op_release(stream->tail);
            free(stream);
        } else {
            link = &stream->next;
        }
    }
}

/* After the last operations of all streams of the context; of the blocking ones only, if asked. */
static lab_status depend_on_streams(cpu_op *op, backend_context *context, bool blocking_only)
{
    for (backend_stream *stream = context->streams; stream; stream = stream->next)
        if (stream->blocking || !blocking_only) LAB_TRY(cpu_op_depend(op, stream->tail));
    return LAB_SUCCESS;
}

static lab_status depend_by_rules(cpu_op *op, backend_stream *stream)
{
    LAB_TRY(cpu_op_depend(op, stream->tail));
    if (stream->null) return depend_on_streams(op, stream->context, true);
    if (stream->blocking) return cpu_op_depend(op, stream->context->null_stream.tail);
    return LAB_SUCCESS;
}

lab_status cpu_stream_enqueue(backend_stream *stream, cpu_op *op)
{
    cpu_engine_lock();
    lab_status status = depend_by_rules(op, stream);
    if (status == LAB_SUCCESS) {
        cpu_op_release(stream->tail);
        stream->tail = cpu_op_retain(op);
        cpu_op_submit(op);
    } else {
        cpu_op_abandon(op);
    }
    cpu_op_release(op);
    cpu_engine_unlock();
    return status;
}

lab_status cpu_context_primary(backend_context **out, int device)
{
    backend_context *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a context");
    made->device = device;
    made->null_stream = (backend_stream){.context = made, .null = true, .blocking = true};
    *out = made;
    return LAB_SUCCESS;
}

backend_stream *cpu_stream_null(backend_context *context) { return &context->null_stream; }

lab_status cpu_stream_create(backend_stream **out, backend_context *context, unsigned flags)
{
    backend_stream *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    made->context = context;
    made->blocking = !(flags & LAB_STREAM_NON_BLOCKING);
    cpu_engine_lock();
    made->next = context->streams;
    context->streams = made;
    cpu_engine_unlock();
    *out = made;
    return LAB_SUCCESS;
}

lab_status cpu_stream_destroy(backend_stream *stream)
{
    cpu_engine_lock();
    stream->destroyed = true;
    reap(stream->context);
    cpu_engine_unlock();
    return LAB_SUCCESS;
}

/* Submits the marker if its dependencies were noted; NULL, and the reference gone, if not. With the lock. */
static cpu_op *submit_marker(cpu_op *marker, lab_status status)
{
    if (status == LAB_SUCCESS) {
        cpu_op_submit(marker);
        return marker;
    }
    cpu_op_abandon(marker);
    cpu_op_release(marker);
    return NULL;
}

/* A marker after everything the stream's end stands for: for the null stream, the blocking streams' ends too. It is
 * not part of the stream. */
static lab_status mark_end(cpu_op **out, backend_stream *stream)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    cpu_engine_lock();
    lab_status status = cpu_op_depend(marker, stream->tail);
    if (status == LAB_SUCCESS && stream->null) status = depend_on_streams(marker, stream->context, true);
    *out = submit_marker(marker, status);
    cpu_engine_unlock();
    return status;
}

lab_status cpu_stream_synchronize(backend_stream *stream)
{
    cpu_op *end;
    LAB_TRY(mark_end(&end, stream));
    cpu_op_wait(end, false);
    cpu_op_drop(end);
    return LAB_SUCCESS;
}

lab_status cpu_stream_query(backend_stream *stream)
{
    cpu_engine_lock();
    bool idle = is_idle(stream);
    for (const backend_stream *other = stream->null ? stream->context->streams : NULL; other && idle; other = other->next)
        idle = !other->blocking || is_idle(other);
    cpu_engine_unlock();
    return idle ? LAB_SUCCESS : LAB_ERROR_NOT_READY;
}

lab_status cpu_context_synchronize(backend_context *context)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    cpu_engine_lock();
    lab_status status = cpu_op_depend(marker, context->null_stream.tail);
    if (status == LAB_SUCCESS) status = depend_on_streams(marker, context, false);
    marker = submit_marker(marker, status);
    reap(context);
    cpu_engine_unlock();
    if (!marker) return status;
    cpu_op_wait(marker, false);
    cpu_op_drop(marker);
    return LAB_SUCCESS;
}

lab_status cpu_stream_wait_event(backend_stream *stream, backend_event *event)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    cpu_engine_lock();
    lab_status status = cpu_op_depend(marker, event->record);
    if (status != LAB_SUCCESS) submit_marker(marker, status);
    cpu_engine_unlock();
    return status == LAB_SUCCESS ? cpu_stream_enqueue(stream, marker) : status;
}

typedef struct host_call {
    void (*function)(void *);
    void *user;
} host_call;

static void run_host_function(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const host_call *call = cpu_op_payload(op);
    call->function(call->user);
}

lab_status cpu_host_function(backend_stream *stream, void (*function)(void *), void *user, backend_times *times)
{
    cpu_op *op = cpu_op_create(CPU_QUEUE_HOST, sizeof(host_call));
    if (!op) return LAB_ERROR_OUT_OF_MEMORY;
    op->run = run_host_function;
    op->times = times;
    host_call *call = cpu_op_payload(op);
    *call = (host_call){function, user};
    return cpu_stream_enqueue(stream, op);
}
