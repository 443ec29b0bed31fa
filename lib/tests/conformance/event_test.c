/* Events: the work that a record stands for, the work that a wait waits for, and the errors of early queries (cuda.h,
 * "Event Management"). */
#include "gate.h"
#include "test.h"

#include <string.h>

static lab_event *make_event(unsigned flags)
{
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, flags));
    return event;
}

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static void set_flag(void *user) { atomic_store((atomic_bool *)user, true); }

/* cuda.h, Event Management: cuEventQuery, cuEventSynchronize. */
Test(event, never_recorded_is_done)
{
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
    cr_assert_eq(lab_event_synchronize(event), LAB_SUCCESS);
    LAB_CHECK(lab_event_destroy(event));
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(event, waiting_for_a_never_recorded_event_has_no_effect)
{
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_stream_wait_event(stream, event));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventRecord, cuEventQuery. */
Test(event, recorded_after_pending_work_is_not_ready)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_event_record(event, stream));
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(event));
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventRecord captures the work of the call. */
Test(event, does_not_stand_for_work_enqueued_after_the_record)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_event_record(event, stream));
    gate_close_stream(&closed, stream);
    cr_assert_eq(lab_event_synchronize(event), LAB_SUCCESS);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(event, a_stream_that_waits_runs_nothing_before_the_event_is_done)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DISABLE_TIMING);
    lab_stream *producer = make_stream(), *consumer = make_stream();
    atomic_bool ran = false;
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    LAB_CHECK(lab_stream_launch_host_func(consumer, set_flag, &ran));
    cr_assert_eq(lab_stream_query(consumer), LAB_ERROR_NOT_READY);
    cr_assert_not(atomic_load(&ran));
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(consumer));
    cr_assert(atomic_load(&ran));
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(event, waiting_does_not_hold_the_host)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DISABLE_TIMING);
    lab_stream *producer = make_stream(), *consumer = make_stream();
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    cr_assert_eq(lab_stream_wait_event(consumer, event), LAB_SUCCESS);
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
}

/* cuda.h, Stream Management: cuStreamWaitEvent: later records do not change the wait. */
Test(event, rerecord_keeps_earlier_waits)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    lab_stream *first = make_stream(), *second = make_stream(), *consumer = make_stream();
    LAB_CHECK(lab_event_record(event, first));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    gate_close_stream(&closed, second);
    LAB_CHECK(lab_event_record(event, second));
    cr_assert_eq(lab_stream_synchronize(consumer), LAB_SUCCESS, "the wait must stand for the record it saw");
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(event));
}

/* cuda.h, Event Management: cuEventRecord overwrites what was captured. */
Test(event, rerecord_replaces_what_later_waits_wait_for)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    lab_stream *first = make_stream(), *second = make_stream(), *consumer = make_stream();
    gate_close_stream(&closed, first);
    LAB_CHECK(lab_event_record(event, first));
    LAB_CHECK(lab_event_record(event, second));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    cr_assert_eq(lab_stream_synchronize(consumer), LAB_SUCCESS, "only the latest record counts");
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
}

/* cuda.h, Stream Management: cuStreamWaitEvent, of several streams. */
Test(event, one_event_may_serve_several_streams)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DISABLE_TIMING);
    lab_stream *producer = make_stream(), *consumer[3];
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_stream_wait_event(consumer[i] = make_stream(), event));
    for (int i = 0; i < 3; i++) cr_assert_eq(lab_stream_query(consumer[i]), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    for (int i = 0; i < 3; i++) cr_assert_eq(lab_stream_synchronize(consumer[i]), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventDestroy. */
Test(event, destroying_an_event_keeps_enqueued_waits)
{
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(LAB_EVENT_DISABLE_TIMING);
    lab_stream *producer = make_stream(), *consumer = make_stream();
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    LAB_CHECK(lab_event_destroy(event));
    cr_assert_eq(lab_stream_query(consumer), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(consumer));
}

/* CUDA Driver API, Stream synchronization behavior: an event of the null stream. */
Test(event, recorded_on_the_null_stream_stands_for_blocking_streams_too)
{
    gate closed = GATE_CLOSED;
    lab_stream *blocking;
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_event *event = make_event(LAB_EVENT_DISABLE_TIMING);
    gate_close_stream(&closed, blocking);
    LAB_CHECK(lab_event_record(event, lab_stream_null()));
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(event));
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_is_not_negative_and_spans_what_lies_between)
{
    lab_event *start = make_event(LAB_EVENT_DEFAULT), *middle = make_event(LAB_EVENT_DEFAULT),
              *end = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 1 << 20));
    LAB_CHECK(lab_event_record(start, stream));
    LAB_CHECK(lab_memset_async(memory, 1, 1 << 20, stream));
    LAB_CHECK(lab_event_record(middle, stream));
    LAB_CHECK(lab_memset_async(memory, 2, 1 << 20, stream));
    LAB_CHECK(lab_event_record(end, stream));
    LAB_CHECK(lab_event_synchronize(end));
    float first, second, whole;
    LAB_CHECK(lab_event_elapsed_time(&first, start, middle));
    LAB_CHECK(lab_event_elapsed_time(&second, middle, end));
    LAB_CHECK(lab_event_elapsed_time(&whole, start, end));
    cr_assert_gt(first, 0.0f);
    cr_assert_gt(second, 0.0f);
    cr_assert_float_eq(whole, first + second, 0.002f);
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_of_a_never_recorded_event_is_an_invalid_handle)
{
    lab_event *recorded = make_event(LAB_EVENT_DEFAULT), *never = make_event(LAB_EVENT_DEFAULT);
    LAB_CHECK(lab_event_record(recorded, NULL));
    LAB_CHECK(lab_event_synchronize(recorded));
    float milliseconds;
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, recorded, never), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "never recorded"), "%s", lab_error_message());
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, never, recorded), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_without_timing_is_an_invalid_handle)
{
    lab_event *timed = make_event(LAB_EVENT_DEFAULT), *untimed = make_event(LAB_EVENT_DISABLE_TIMING);
    LAB_CHECK(lab_event_record(timed, NULL));
    LAB_CHECK(lab_event_record(untimed, NULL));
    LAB_CHECK(lab_device_synchronize());
    float milliseconds;
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, timed, untimed), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "LAB_EVENT_DISABLE_TIMING"), "%s", lab_error_message());
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_before_the_end_is_not_ready_and_names_the_event)
{
    gate closed = GATE_CLOSED;
    lab_event *start = make_event(LAB_EVENT_DEFAULT), *end = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    LAB_CHECK(lab_event_record(start, stream));
    LAB_CHECK(lab_event_synchronize(start));
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_event_record(end, stream));
    float milliseconds;
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, start, end), LAB_ERROR_NOT_READY);
    cr_assert_not_null(strstr(lab_error_message(), "the end event"), "%s", lab_error_message());
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(end));
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_before_the_start_says_to_wait_for_the_end)
{
    gate closed = GATE_CLOSED;
    lab_event *start = make_event(LAB_EVENT_DEFAULT), *end = make_event(LAB_EVENT_DEFAULT);
    lab_stream *stream = make_stream();
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_event_record(start, stream));
    LAB_CHECK(lab_event_record(end, stream));
    float milliseconds;
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, start, end), LAB_ERROR_NOT_READY);
    cr_assert_not_null(strstr(lab_error_message(), "lab_event_synchronize on the end event"), "%s",
                       lab_error_message());
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(end));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(event, using_a_destroyed_event_is_an_invalid_handle)
{
    lab_event *event = make_event(LAB_EVENT_DEFAULT);
    LAB_CHECK(lab_event_destroy(event));
    cr_assert_eq(lab_event_record(event, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_query(event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_synchronize(event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_wait_event(NULL, event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_destroy(event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_destroy(NULL), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventCreate. */
Test(event, blocking_sync_events_wait_too)
{
    lab_event *event = make_event(LAB_EVENT_BLOCKING_SYNC);
    lab_stream *stream = make_stream();
    atomic_bool ran = false;
    LAB_CHECK(lab_stream_launch_host_func(stream, set_flag, &ran));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_event_synchronize(event));
    cr_assert(atomic_load(&ran));
}

/* cuda.h, Event Management: cuEventCreate. */
Test(event, unknown_flags_are_refused)
{
    lab_event *event;
    cr_assert_eq(lab_event_create(&event, 8), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(event);
    cr_assert_eq(lab_event_create(NULL, 0), LAB_ERROR_INVALID_VALUE);
}
