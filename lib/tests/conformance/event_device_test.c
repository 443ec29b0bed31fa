/* Events on two devices: uses that may cross, and uses that are refused (cuda.h, "Event Management"; CUDA C++
 * Programming Guide, "Stream and Event Behavior" on several devices). */
#include "gate.h"
#include "test.h"
#include "two_devices.h"

#include <string.h>

static lab_event *make_event(int device, unsigned flags)
{
    lab_event *event;
    LAB_WITH_DEVICE(device) LAB_CHECK(lab_event_create(&event, flags));
    return event;
}

static lab_stream *make_stream(int device)
{
    lab_stream *stream;
    LAB_WITH_DEVICE(device) LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

static void set_flag(void *user) { atomic_store((atomic_bool *)user, true); }

/* cuda.h, Event Management: cuEventRecord: event and stream are of one context. */
Test(event, is_not_recorded_on_a_stream_of_another_device)
{
    if (!two_devices()) return;
    lab_event *event = make_event(0, LAB_EVENT_DEFAULT);
    cr_assert_eq(lab_event_record(event, make_stream(1)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "device 1"), "%s", lab_error_message());
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, is_recorded_on_its_own_device_while_another_is_current)
{
    if (!two_devices()) return;
    lab_event *event = make_event(1, LAB_EVENT_DEFAULT);
    LAB_CHECK(lab_event_record(event, make_stream(1)));
    cr_assert_eq(lab_event_synchronize(event), LAB_SUCCESS);
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
    cr_assert_eq(lab_event_destroy(event), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamWaitEvent: the event may be of another device. */
Test(event, a_stream_waits_for_one_of_another_device)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(0, LAB_EVENT_DISABLE_TIMING);
    lab_stream *producer = make_stream(0), *consumer = make_stream(1);
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

/* cuda.h, Stream Management: cuStreamWaitEvent: later records do not change the wait. */
Test(event, rerecord_keeps_the_wait_of_another_devices_stream)
{
    if (!two_devices()) return;
    gate closed = GATE_CLOSED;
    lab_event *event = make_event(0, LAB_EVENT_DISABLE_TIMING);
    lab_stream *first = make_stream(0), *second = make_stream(0), *consumer = make_stream(1);
    LAB_CHECK(lab_event_record(event, first));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    gate_close_stream(&closed, second);
    LAB_CHECK(lab_event_record(event, second));
    cr_assert_eq(lab_stream_synchronize(consumer), LAB_SUCCESS);
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(event));
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_between_devices_is_an_invalid_handle)
{
    if (!two_devices()) return;
    lab_event *start = make_event(0, LAB_EVENT_DEFAULT), *end = make_event(1, LAB_EVENT_DEFAULT);
    float milliseconds;
    LAB_CHECK(lab_event_record(start, make_stream(0)));
    LAB_CHECK(lab_event_record(end, make_stream(1)));
    LAB_CHECK(lab_event_synchronize(start));
    LAB_CHECK(lab_event_synchronize(end));
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, start, end), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "device 1"), "%s", lab_error_message());
}

/* cuda.h, Event Management: cuEventCreate. */
Test(event, blocking_sync_and_no_timing_combine)
{
    lab_event *event = make_event(0, LAB_EVENT_BLOCKING_SYNC | LAB_EVENT_DISABLE_TIMING);
    float milliseconds;
    LAB_CHECK(lab_event_record(event, NULL));
    cr_assert_eq(lab_event_synchronize(event), LAB_SUCCESS);
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, event, event), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_from_one_to_itself_is_0)
{
    lab_event *event = make_event(0, LAB_EVENT_DEFAULT);
    float milliseconds = -1;
    LAB_CHECK(lab_event_record(event, NULL));
    LAB_CHECK(lab_event_synchronize(event));
    LAB_CHECK(lab_event_elapsed_time(&milliseconds, event, event));
    cr_assert_eq(milliseconds, 0.0f);
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(event, elapsed_time_backwards_is_negative)
{
    lab_event *first = make_event(0, LAB_EVENT_DEFAULT), *second = make_event(0, LAB_EVENT_DEFAULT);
    lab_deviceptr memory;
    float milliseconds;
    LAB_CHECK(lab_mem_alloc(&memory, 1 << 20));
    LAB_CHECK(lab_event_record(first, NULL));
    LAB_CHECK(lab_memset_async(memory, 1, 1 << 20, NULL));
    LAB_CHECK(lab_event_record(second, NULL));
    LAB_CHECK(lab_event_synchronize(second));
    LAB_CHECK(lab_event_elapsed_time(&milliseconds, second, first));
    cr_assert_lt(milliseconds, 0.0f);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(event, no_event_is_an_invalid_handle)
{
    float milliseconds;
    lab_event *event = make_event(0, LAB_EVENT_DEFAULT);
    cr_assert_eq(lab_event_record(NULL, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_query(NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_synchronize(NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_wait_event(NULL, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_elapsed_time(NULL, event, event), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, NULL, event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, event, NULL), LAB_ERROR_INVALID_HANDLE);
}
