/* Events: their handles, their last record, and the errors of queries that come too early. */
#include "base/handle.h"
#include "base/status.h"
#include "capture.h"
#include "context_stack.h"
#include "stream_record.h"

#include <stdlib.h>

struct event {
    retired retired;
    uint64_t number; /* for messages and the record */
    lab_event *handle;
    struct context *context;
    backend_event *native;
    unsigned flags;
    atomic_bool recorded;
    context_member member;
    _Atomic uint64_t record_id; /* record_id of the operation that recorded it last, or 0 */
    record_answers answers;
};

static _Atomic uint64_t last_number;

static lab_status resolve(struct event **out, const lab_event *handle, const char *call)
{
    LAB_TRY(runtime_check());
    *out = handle_get(HANDLE_EVENT, (uintptr_t)handle);
    if (*out) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_INVALID_HANDLE, "%s: the event %s", call,
                    handle ? "was destroyed before this call, or never created" : "is NULL");
}

/* The order checker knows the event by its address. */
static void release(retired *object)
{
    order_event_ended(object);
    free(object);
}

/* Ends the event, whose handle has been removed. */
static lab_status end_event(struct event *removed)
{
    lab_status status = runtime_backend()->event_destroy(removed->native);
    retire(&removed->retired, release);
    return status;
}

/* The event's context ends, and the event with it. */
static void end_with_context(context_member *member)
{
    struct event *ended = (struct event *)((char *)member - offsetof(struct event, member));
    if (handle_remove(HANDLE_EVENT, (uintptr_t)ended->handle)) end_event(ended);
}

lab_status lab_event_create(lab_event **out, unsigned flags)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_event_create: out is NULL");
    *out = NULL;
    if (flags > (LAB_EVENT_BLOCKING_SYNC | LAB_EVENT_DISABLE_TIMING))
        return lab_fail(LAB_ERROR_INVALID_VALUE,
                        "lab_event_create: flags is %u; combine LAB_EVENT_BLOCKING_SYNC and "
                        "LAB_EVENT_DISABLE_TIMING, or use LAB_EVENT_DEFAULT",
                        flags);
    CONTEXT_HELD struct context *context = NULL;
    LAB_TRY(context_hold_current(&context));
    struct event *made = calloc(1, sizeof *made);
    if (!made) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for another event");
    made->flags = flags;
    made->context = context;
    lab_status status = runtime_backend()->event_create(&made->native, context->native, flags);
    if (status != LAB_SUCCESS) goto fail;
    made->number = atomic_fetch_add(&last_number, 1) + 1;
    context_add(made->context, &made->member, end_with_context);
    uint64_t handle = handle_create(HANDLE_EVENT, made); /* from here on other threads may find it, and destroy it */
    if (!handle) {
        context_remove(made->context, &made->member);
        runtime_backend()->event_destroy(made->native);
        status = lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no memory for another event");
        goto fail;
    }
    made->handle = *out = (lab_event *)(uintptr_t)handle;
    record_entry *entry = record_begin(LAB_OP_EVENT_CREATE, made->context->device);
    record_object(entry, made->number);
    record_end(entry, LAB_SUCCESS);
    return LAB_SUCCESS;
fail:
    free(made);
    return status;
}

lab_status lab_event_destroy(lab_event *handle)
{
    RETIRE_SCOPE;
    if (!handle) return LAB_SUCCESS;
    LAB_TRY(runtime_check());
    struct event *removed = handle_remove(HANDLE_EVENT, (uintptr_t)handle);
    if (!removed)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_event_destroy: the event was already destroyed, or never created");
    context_remove(removed->context, &removed->member);
    record_entry *entry = record_begin(LAB_OP_EVENT_DESTROY, removed->context->device);
    record_object(entry, removed->number);
    lab_status status = end_event(removed);
    record_end(entry, status);
    return status;
}

lab_status lab_event_record(lab_event *handle, lab_stream *stream_handle)
{
    RETIRE_SCOPE;
    struct event *found;
    struct stream *stream;
    LAB_TRY(resolve(&found, handle, "lab_event_record"));
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_event_record"));
    char event_context[CONTEXT_NAME_BYTES], stream_context[CONTEXT_NAME_BYTES];
    if (found->context != stream->context)
        return lab_fail(
            LAB_ERROR_INVALID_HANDLE,
            "lab_event_record: event %llu belongs to %s, stream %llu to %s; record an event on a stream of its own "
            "context (waiting may cross)",
            (unsigned long long)found->number, context_describe(event_context, sizeof event_context, found->context),
            (unsigned long long)stream->identity.id,
            context_describe(stream_context, sizeof stream_context, stream->context));
    record_entry *entry = submission_begin_on(LAB_OP_EVENT_RECORD, stream);
    record_object(entry, found->number);
    lab_status status = runtime_backend()->event_record(found->native, stream->native, record_times(entry));
    if (status == LAB_SUCCESS) {
        atomic_store_explicit(&found->record_id, record_id(entry), memory_order_release);
        atomic_store_explicit(&found->recorded, true, memory_order_release);
        submission_event_recorded(entry, found);
    }
    submission_end(entry, status);
    return status;
}

lab_status lab_event_get_device(int *device, const lab_event *handle)
{
    RETIRE_SCOPE;
    if (!device) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_event_get_device: device is NULL");
    struct event *found;
    LAB_TRY(resolve(&found, handle, "lab_event_get_device"));
    *device = found->context->device;
    return LAB_SUCCESS;
}

lab_status lab_event_query(lab_event *handle)
{
    RETIRE_SCOPE;
    struct event *found;
    LAB_TRY(resolve(&found, handle, "lab_event_query"));
    record_entry *entry = record_begin(LAB_OP_EVENT_QUERY, found->context->device);
    record_object(entry, found->number);
    record_waits_for(entry, atomic_load(&found->record_id));
    record_waits_for_event(entry, found);
    lab_status status = atomic_load(&found->recorded) ? runtime_backend()->event_query(found->native) : LAB_SUCCESS;
    return record_end_query(entry, &found->answers, status);
}

lab_status lab_event_synchronize(lab_event *handle)
{
    RETIRE_SCOPE;
    struct event *found;
    LAB_TRY(resolve(&found, handle, "lab_event_synchronize"));
    record_entry *entry = record_begin(LAB_OP_EVENT_SYNC, found->context->device);
    record_object(entry, found->number);
    record_waits_for(entry, atomic_load(&found->record_id));
    record_waits_for_event(entry, found);
    retire_keep(NULL); /* the device waits for an operation of its own */
    lab_status status =
        atomic_load(&found->recorded) ? runtime_backend()->event_synchronize(found->native) : LAB_SUCCESS;
    record_end(entry, status);
    return status;
}

lab_status lab_stream_wait_event(lab_stream *stream_handle, lab_event *handle)
{
    RETIRE_SCOPE;
    struct event *found;
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, stream_handle, "lab_stream_wait_event"));
    LAB_TRY(resolve(&found, handle, "lab_stream_wait_event"));
    record_entry *entry = submission_begin(LAB_OP_EVENT_WAIT, stream->identity.device);
    record_object(entry, found->number);
    record_waits_for(entry, atomic_load(&found->record_id));
    lab_status status = LAB_SUCCESS;
    if (atomic_load(&found->recorded))
        status = runtime_backend()->stream_wait_event(stream->native, found->native);
    else if (runtime_backend()->stream_wait_in_vain)
        runtime_backend()->stream_wait_in_vain(stream->native, found->native);
    /* Set afterwards: waiting for an event of a capture makes the stream capture. */
    submission_on_stream(entry, stream);
    if (status == LAB_SUCCESS) submission_event_waited(entry, found);
    submission_end(entry, status);
    return status;
}

/* Checks that the event can be one end of a measurement. */
static lab_status check_measures(const struct event *event, const char *which)
{
    unsigned long long number = event->number;
    if (event->flags & LAB_EVENT_DISABLE_TIMING)
        return lab_fail(LAB_ERROR_INVALID_HANDLE,
                        "lab_event_elapsed_time: the %s event (event %llu) was created with LAB_EVENT_DISABLE_TIMING",
                        which, number);
    if (!atomic_load(&event->recorded))
        return lab_fail(
            LAB_ERROR_INVALID_HANDLE,
            "lab_event_elapsed_time: the %s event (event %llu) was never recorded; record it on a stream first", which,
            number);
    return LAB_SUCCESS;
}

/* A query for the sake of a message must not disturb a capture under way. */
static lab_status fail_not_done(const struct event *start, const struct event *end)
{
    const bool start_done = capture_event_done(start->native);
    if (!start_done && !capture_event_done(end->native))
        return lab_fail(LAB_ERROR_NOT_READY,
                        "lab_event_elapsed_time: neither event is done; call lab_event_synchronize on the end event "
                        "(event %llu) first",
                        (unsigned long long)end->number);
    return lab_fail(
        LAB_ERROR_NOT_READY,
        "lab_event_elapsed_time: the %s event (event %llu) is not done; call lab_event_synchronize on it first",
        start_done ? "end" : "start", (unsigned long long)(start_done ? end : start)->number);
}

lab_status lab_event_elapsed_time(float *milliseconds, lab_event *start_handle, lab_event *end_handle)
{
    RETIRE_SCOPE;
    if (!milliseconds) return lab_fail(LAB_ERROR_INVALID_VALUE, "lab_event_elapsed_time: milliseconds is NULL");
    struct event *start, *end;
    LAB_TRY(resolve(&start, start_handle, "lab_event_elapsed_time"));
    LAB_TRY(resolve(&end, end_handle, "lab_event_elapsed_time"));
    LAB_TRY(check_measures(start, "start"));
    LAB_TRY(check_measures(end, "end"));
    char start_context[CONTEXT_NAME_BYTES], end_context[CONTEXT_NAME_BYTES];
    if (start->context != end->context)
        return lab_fail(
            LAB_ERROR_INVALID_HANDLE,
            "lab_event_elapsed_time: the start event belongs to %s, the end event to %s; time is measured within one "
            "context",
            context_describe(start_context, sizeof start_context, start->context),
            context_describe(end_context, sizeof end_context, end->context));
    order_clock *before_start = order_cover_event(start), *before_end = order_cover_event(end);
    lab_status status = runtime_backend()->event_elapsed_time(milliseconds, start->native, end->native);
    order_wait_ended(before_start, status == LAB_SUCCESS);
    order_wait_ended(before_end, status == LAB_SUCCESS);
    return status == LAB_ERROR_NOT_READY ? fail_not_done(start, end) : status;
}
