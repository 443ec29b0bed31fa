/* Events of the CPU device: an event stands for the operation that its last record enqueued. */
#include "device.h"

#include <stdlib.h>

lab_status cpu_event_create(backend_event **out, backend_context *context, unsigned flags)
{
    backend_event *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for another event");
    made->context = context;
    made->sleeps = flags & LAB_EVENT_BLOCKING_SYNC;
    *out = made;
    return LAB_SUCCESS;
}

lab_status cpu_event_destroy(backend_event *event)
{
    cpu_engine_lock();
    cpu_op_release(event->record);
    cpu_engine_unlock();
    free(event);
    return LAB_SUCCESS;
}

lab_status cpu_event_record(backend_event *event, backend_stream *stream, backend_times *times)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    marker->times = times;
    cpu_engine_lock();
    cpu_op_retain(marker);
    cpu_engine_unlock();
    lab_status status = cpu_stream_enqueue(stream, marker);
    cpu_engine_lock();
    if (status == LAB_SUCCESS) {
        cpu_op_release(event->record);
        event->record = marker;
    } else {
        cpu_op_release(marker);
    }
    cpu_engine_unlock();
    return status;
}

/* The operation that the event stands for, with a reference of the caller's. */
static cpu_op *retain_record(backend_event *event)
{
    cpu_engine_lock();
    cpu_op *record = cpu_op_retain(event->record);
    cpu_engine_unlock();
    return record;
}

lab_status cpu_event_query(backend_event *event)
{
    LAB_TRY(cpu_context_check(event->context));
    cpu_op *record = retain_record(event);
    bool done = cpu_op_done(record);
    cpu_op_drop(record);
    return done ? LAB_SUCCESS : LAB_ERROR_NOT_READY;
}

lab_status cpu_event_synchronize(backend_event *event)
{
    cpu_op *record = retain_record(event);
    cpu_op_wait(record, event->sleeps);
    cpu_op_drop(record);
    return cpu_context_check(event->context);
}

lab_status cpu_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end)
{
    cpu_engine_lock();
    int64_t nanoseconds = end->record->end_ns - start->record->end_ns;
    cpu_engine_unlock();
    *milliseconds = (float)((double)nanoseconds / 1e6);
    return LAB_SUCCESS;
}
