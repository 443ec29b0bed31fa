/* What an operation must wait for, by CUDA's rules for the null stream, blocking and non-blocking streams. */
#include "cpu_stream.h"

#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/process_failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/schedule_setting.h"
#include "cpu/engine/serial_requests.h"
#include "cpu_capture.h"
#include "cpu_device.h"

#include <stdlib.h>

static bool is_idle(const backend_stream *stream) { return !stream->tail || cpu_op_done(stream->tail); }

void cpu_stream_close(backend_stream *stream)
{
    cpu_op_release(stream->tail);
    stream->tail = NULL;
    stream->destroyed = true;
}

void cpu_streams_reap(backend_context *context)
{
    for (backend_stream **link = &context->streams; *link;) {
        backend_stream *stream = *link;
        if (stream->destroyed && is_idle(stream)) {
            *link = stream->next;
            cpu_stream_close(stream);
            retire(&stream->retired, retire_free);
        } else {
            link = &stream->next;
        }
    }
}

lab_status cpu_streams_depend(cpu_op *op, backend_context *context, bool blocking_only)
{
    for (backend_stream *stream = context->streams; stream; stream = stream->next)
        if (stream->blocking || !blocking_only) LAB_TRY(cpu_op_depend(op, stream->tail));
    return LAB_SUCCESS;
}

static lab_status depend_by_rules(cpu_op *op, backend_stream *stream)
{
    LAB_TRY(cpu_op_depend(op, stream->tail));
    if (stream->null) return cpu_streams_depend(op, stream->context, true);
    if (stream->blocking) return cpu_op_depend(op, stream->context->null_stream.tail);
    return LAB_SUCCESS;
}

lab_status cpu_stream_append(backend_stream *stream, cpu_op *op)
{
    lab_status status = cpu_process_check();
    if (status == LAB_SUCCESS) status = cpu_stream_check(stream);
    op->device = stream->context->device;
    if (op->entry) op->entry->stream = stream;
    op->rank = op->queue == CPU_QUEUE_COMPUTE ? stream->rank : 0;
    if (status == LAB_SUCCESS && cpu_capture_takes(&status, stream, op)) {
        cpu_op_release(op);
        return status;
    }
    if (status == LAB_SUCCESS) status = depend_by_rules(op, stream);
    if (status == LAB_SUCCESS) {
        cpu_op_release(stream->tail);
        stream->tail = cpu_op_retain(op);
        cpu_op_submit(op);
    } else {
        cpu_op_abandon(op);
    }
    cpu_op_release(op);
    return status;
}

lab_status cpu_stream_enqueue(backend_stream *stream, cpu_op *op)
{
    op->cancelled = &cpu_process_failure;
    return cpu_stream_enqueue_always(stream, op);
}

lab_status cpu_stream_enqueue_always(backend_stream *stream, cpu_op *op)
{
    cpu_engine_lock();
    lab_status status = cpu_stream_append(stream, op);
    cpu_engine_unlock();
    cpu_serial_note_enqueued();
    return status;
}

/* Kernels of the higher priority, which is the lower number, start first. Copies and host functions have no
 * priority. */
void cpu_stream_priorities(int *least, int *greatest, int device)
{
    (void)device;
    *least = 0;
    *greatest = 1 - cpu_device_priorities();
}

backend_stream *cpu_stream_null(backend_context *context) { return &context->null_stream; }

lab_status cpu_stream_create(backend_stream **out, backend_context *context, unsigned flags, int priority)
{
    backend_stream *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another stream");
    made->context = context;
    made->blocking = !(flags & LAB_STREAM_NON_BLOCKING);
    made->rank = priority + cpu_device_priorities() - 1;
    cpu_engine_lock();
    made->number = ++context->streams_made;
    made->next = context->streams;
    context->streams = made;
    cpu_engine_unlock();
    *out = made;
    return LAB_SUCCESS;
}

lab_status cpu_stream_destroy(backend_stream *stream)
{
    cpu_engine_lock();
    cpu_capture_leave(stream);
    stream->destroyed = true;
    cpu_streams_reap(stream->context);
    cpu_engine_unlock();
    return LAB_SUCCESS;
}

void *cpu_stream_native(backend_stream *stream) { return stream; }

/* Only this library makes streams of this device. */
lab_status cpu_stream_wrap(backend_stream **out, backend_context *context, void *native, unsigned *flags, int *priority)
{
    (void)out, (void)context, (void)native, (void)flags, (void)priority;
    return LAB_ERROR_INVALID_HANDLE;
}

/* The stream's last operation, with a reference for the caller; NULL if it is done. With the lock. */
static cpu_op *retain_pending(const backend_stream *stream)
{
    return is_idle(stream) ? NULL : cpu_op_retain(stream->tail);
}

static void wait_and_drop(cpu_op *op)
{
    if (!op) return;
    cpu_op_wait(op, false);
    cpu_op_drop(op);
}

/* The same where the caller needs the stream no more. */
static void wait_outside_and_drop(cpu_op *op)
{
    if (!op) return;
    cpu_op_wait_outside(op, false);
    cpu_op_drop(op);
}

static cpu_op *retain_last(const backend_stream *stream)
{
    cpu_engine_lock();
    cpu_op *last = retain_pending(stream);
    cpu_engine_unlock();
    return last;
}

void cpu_stream_wait(backend_stream *stream) { wait_and_drop(retain_last(stream)); }

/* The last operation of the youngest stream older than `number` that has work; the number becomes that stream's. */
static cpu_op *retain_next(backend_context *context, uint64_t *number, bool blocking_only)
{
    cpu_op *last = NULL;
    cpu_engine_lock();
    for (const backend_stream *each = context->streams; each && !last; each = each->next) {
        if (each->number >= *number || (blocking_only && !each->blocking)) continue;
        last = retain_pending(each);
        if (last) *number = each->number;
    }
    cpu_engine_unlock();
    return last;
}

void cpu_streams_wait(backend_context *context, bool blocking_only)
{
    cpu_stream_wait(&context->null_stream);
    if (!blocking_only) cpu_stream_wait(&context->visitors);
    uint64_t number = UINT64_MAX;
    for (cpu_op *last; (last = retain_next(context, &number, blocking_only));) wait_and_drop(last);
}

/* The end of the null stream stands for the ends of the blocking streams too. */
static void synchronize_null(backend_context *context)
{
    cpu_op *end = cpu_op_create(CPU_QUEUE_NONE, 0);
    lab_status status = end ? LAB_SUCCESS : LAB_ERROR_OUT_OF_MEMORY;
    if (end) {
        cpu_engine_lock();
        status = cpu_op_depend(end, context->null_stream.tail);
        if (status == LAB_SUCCESS) status = cpu_streams_depend(end, context, true);
        cpu_op_submit(end);
        cpu_engine_unlock();
    }
    if (status != LAB_SUCCESS) cpu_streams_wait(context, true);
    wait_outside_and_drop(end);
}

lab_status cpu_stream_synchronize(backend_stream *stream)
{
    LAB_TRY(cpu_capture_check_stream(stream, "lab_stream_synchronize"));
    if (stream->null)
        synchronize_null(stream->context);
    else
        wait_outside_and_drop(retain_last(stream));
    return cpu_process_check();
}

/* A last operation that is not done: the stream's or, for the null stream, a blocking stream's. With the lock. */
static cpu_op *retain_unfinished(const backend_stream *stream)
{
    cpu_op *last = retain_pending(stream);
    for (const backend_stream *other = stream->null ? stream->context->streams : NULL; other && !last;
         other = other->next)
        if (other->blocking) last = retain_pending(other);
    return last;
}

bool cpu_stream_orders_others(const backend_stream *stream)
{
    bool orders = false;
    cpu_engine_lock();
    for (const backend_stream *each = stream->null ? stream->context->streams : NULL; each; each = each->next)
        orders = orders || (each->blocking && !is_idle(each));
    cpu_engine_unlock();
    return orders;
}

bool cpu_stream_is_idle(const backend_stream *stream)
{
    cpu_engine_lock();
    cpu_op *last = retain_unfinished(stream);
    cpu_op_release(last);
    cpu_engine_unlock();
    return !last;
}

lab_status cpu_stream_query(backend_stream *stream)
{
    LAB_TRY(cpu_process_check());
    LAB_TRY(cpu_capture_check_stream(stream, "lab_stream_query"));
    cpu_engine_lock();
    cpu_op *last = retain_unfinished(stream);
    if (last) cpu_serial_note_question(last);
    const bool idle = !last;
    cpu_op_release(last);
    cpu_engine_unlock();
    return idle ? LAB_SUCCESS : LAB_ERROR_NOT_READY;
}

/* For a schedule: the event's first record will come too late for the stream. */
void cpu_stream_wait_in_vain(backend_stream *stream, backend_event *event)
{
    cpu_engine_lock();
    if (!event->waiter && cpu_schedule_is_adversarial()) {
        event->waiter = stream;
        event->waited_after = cpu_schedule_last_number();
    }
    cpu_engine_unlock();
}

lab_status cpu_stream_wait_event(backend_stream *stream, backend_event *event)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    cpu_engine_lock();
    lab_status status = cpu_stream_check(stream);
    if (status != LAB_SUCCESS || cpu_capture_waits(&status, stream, event) ||
        cpu_capture_takes(&status, stream, marker)) {
        cpu_op_release(marker);
    } else {
        status = cpu_op_depend(marker, event->record);
        if (status == LAB_SUCCESS) {
            status = cpu_stream_append(stream, marker);
        } else {
            cpu_op_submit(marker);
            cpu_op_release(marker);
        }
    }
    cpu_engine_unlock();
    return status;
}

typedef struct host_call {
    const backend_context *context;
    backend_host_call call;
} host_call;

static void run_host_function(cpu_op *op, uint64_t first, uint64_t count)
{
    (void)first, (void)count;
    const host_call *work = cpu_op_payload(op);
    work->call.function(work->call.user, (lab_status)atomic_load(&cpu_process_failure));
}

static void release_host_function(cpu_op *op)
{
    const host_call *work = cpu_op_payload(op);
    work->call.release(work->call.user);
}

static void describe_host_function(cpu_captured *captured, const cpu_op *op)
{
    const host_call *work = (const host_call *)op->payload;
    captured->node.kind = LAB_NODE_HOST_FUNCTION;
    if (work->call.name) captured->node.name = work->call.name;
}

lab_status cpu_stream_host_function(backend_stream *stream, const backend_host_call *call, backend_times *times)
{
    cpu_op *op = cpu_op_create(CPU_QUEUE_HOST, sizeof(host_call));
    if (!op) {
        call->release(call->user);
        return LAB_ERROR_OUT_OF_MEMORY;
    }
    op->run = run_host_function;
    op->discard = release_host_function;
    if (!call->callback) op->describe = describe_host_function;
    op->times = times;
    *(host_call *)cpu_op_payload(op) = (host_call){stream->context, *call};
    return cpu_stream_enqueue_always(stream, op);
}
