/* An event stands for the operation that its last record enqueued. */
#include "cpu_event.h"

#include "cpu/engine/engine.h"
#include "cpu/engine/engine_lock.h"
#include "cpu/engine/process_failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/serial_requests.h"
#include "cpu_capture.h"
#include "cpu_stream.h"

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

static void release(retired *object)
{
    backend_event *event = (backend_event *)object;
    cpu_engine_lock();
    cpu_capture_forget(event);
    cpu_op_release(event->record);
    cpu_engine_unlock();
    free(event);
}

lab_status cpu_event_destroy(backend_event *event)
{
    retire(&event->retired, release);
    return LAB_SUCCESS;
}

lab_status cpu_event_record(backend_event *event, backend_stream *stream, backend_times *times)
{
    cpu_op *marker = cpu_op_create(CPU_QUEUE_NONE, 0);
    if (!marker) return LAB_ERROR_OUT_OF_MEMORY;
    marker->times = times;
    lab_status status;
    cpu_engine_lock();
    if (cpu_capture_records(&status, event, stream)) goto done;
    status = cpu_stream_append(stream, cpu_op_retain(marker));
    if (status != LAB_SUCCESS) goto done;
    cpu_capture_forget(event);
    cpu_op *replaced = event->record;
    event->record = marker;
    if (event->waiter && marker->entry) cpu_schedule_note_late_record(marker, event->waiter, event->waited_after);
    event->waiter = NULL;
    marker = replaced;
done:
    cpu_op_release(marker);
    cpu_engine_unlock();
    return status;
}

/* Whether the operation is done; with the lock. */
static lab_status ask(cpu_op *record)
{
    if (cpu_op_done(record)) return LAB_SUCCESS;
    cpu_op_retain(record);
    cpu_serial_note_question(record);
    cpu_op_release(record);
    return LAB_ERROR_NOT_READY;
}

lab_status cpu_event_query(backend_event *event)
{
    LAB_TRY(cpu_process_check());
    cpu_engine_lock();
    lab_status status = cpu_capture_check_event(event);
    if (status == LAB_SUCCESS) status = ask(event->record);
    cpu_engine_unlock();
    return status;
}

lab_status cpu_event_synchronize(backend_event *event)
{
    cpu_engine_lock();
    lab_status status = cpu_capture_check_event(event);
    cpu_op *record = status == LAB_SUCCESS ? cpu_op_retain(event->record) : NULL;
    cpu_engine_unlock();
    if (!record) return status;
    cpu_op_wait_outside(record, event->sleeps);
    cpu_op_drop(record);
    return cpu_process_check();
}

lab_status cpu_event_elapsed_time(float *milliseconds, backend_event *start, backend_event *end)
{
    cpu_engine_lock();
    lab_status status = cpu_capture_check_times(start, end);
    if (status == LAB_SUCCESS) status = ask(start->record);
    if (status == LAB_SUCCESS) status = ask(end->record);
    int64_t nanoseconds = status == LAB_SUCCESS ? end->record->end_ns - start->record->end_ns : 0;
    cpu_engine_unlock();
    if (status == LAB_SUCCESS) *milliseconds = (float)((double)nanoseconds / 1e6);
    return status;
}
