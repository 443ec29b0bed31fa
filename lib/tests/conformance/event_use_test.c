/* Uses of events: by several threads, after their stream is destroyed, on their own stream, back and forth between two
 * streams; and the copies and fills that hold the host or wait for other streams. */
#include "buffers.h"
#include "gate.h"
#include "test.h"

static lab_event *make_event(void)
{
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    return event;
}

/* cuda.h, Event Management: cuEventQuery, of an event whose stream was destroyed. */
Test(event_use, outlives_the_stream_on_which_it_was_recorded)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(), *waiting = make_stream();
    lab_event *event = make_event();
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_stream_wait_event(waiting, event));
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    cr_assert_eq(lab_stream_query(waiting), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(event));
    LAB_CHECK(lab_stream_synchronize(waiting));
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamWaitEvent, of the stream on which the event was recorded. */
Test(event_use, a_stream_may_wait_for_an_event_of_its_own)
{
    lab_stream *stream = make_stream();
    lab_event *event = make_event();
    for (int k = 0; k < 100; k++) {
        LAB_CHECK(lab_event_record(event, stream));
        LAB_CHECK(lab_stream_wait_event(stream, event));
    }
    cr_assert_eq(lab_stream_synchronize(stream), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamWaitEvent, with one event that is recorded again and again. */
Test(event_use, work_goes_back_and_forth_between_two_streams_in_order)
{
    gate closed = GATE_CLOSED;
    lab_stream *const stream[] = {make_stream(), make_stream()};
    lab_event *event = make_event();
    const lab_deviceptr memory = allocate(64);
    unsigned char last = 0;
    gate_close_stream(&closed, stream[0]);
    for (int k = 0; k < 40; k++) {
        LAB_CHECK(lab_memset_async(memory, (unsigned char)k, 64, stream[k % 2]));
        LAB_CHECK(lab_event_record(event, stream[k % 2]));
        LAB_CHECK(lab_stream_wait_event(stream[(k + 1) % 2], event));
    }
    cr_assert_eq(lab_stream_query(stream[1]), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_memcpy_dtoh(&last, memory, 1));
    cr_assert_eq(last, 39, "fill %d came last", last);
}

static void *synchronize(void *event)
{
    LAB_CHECK(lab_event_synchronize(event));
    LAB_CHECK(lab_event_query(event));
    return NULL;
}

/* cuda.h, Event Management: cuEventSynchronize, from several threads. */
Test(event_use, several_threads_may_wait_for_one_event)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    lab_event *event = make_event();
    pthread_t thread[4];
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_event_record(event, stream));
    for (int k = 0; k < 4; k++) cr_assert_eq(pthread_create(&thread[k], NULL, synchronize, event), 0);
    cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    for (int k = 0; k < 4; k++) pthread_join(thread[k], NULL);
}

/* cuda.h, Event Management: cuEventElapsedTime, of the latest records. */
Test(event_use, elapsed_time_is_that_of_the_latest_records)
{
    lab_stream *stream = make_stream();
    lab_event *first = make_event(), *second = make_event();
    float milliseconds;
    LAB_CHECK(lab_event_record(first, stream));
    LAB_CHECK(lab_event_record(second, stream));
    LAB_CHECK(lab_event_synchronize(second));
    LAB_CHECK(lab_event_elapsed_time(&milliseconds, first, second));
    cr_assert_geq(milliseconds, 0);
    LAB_CHECK(lab_event_record(first, stream));
    LAB_CHECK(lab_event_synchronize(first));
    LAB_CHECK(lab_event_elapsed_time(&milliseconds, first, second));
    cr_assert_leq(milliseconds, 0, "the first was recorded again, after the second");
}

/* cuda.h, Stream Management: cuStreamWaitEvent, for several events. */
Test(event_use, a_stream_waits_for_all_of_the_events_that_it_was_told_of)
{
    gate closed = GATE_CLOSED;
    lab_stream *held = make_stream(), *waiting = make_stream();
    lab_event *late = make_event(), *early = make_event();
    gate_close_stream(&closed, held);
    LAB_CHECK(lab_event_record(late, held));
    LAB_CHECK(lab_event_record(early, waiting));
    LAB_CHECK(lab_stream_wait_event(waiting, late));
    LAB_CHECK(lab_stream_wait_event(waiting, early));
    LAB_CHECK(lab_event_synchronize(early));
    cr_assert_eq(lab_stream_query(waiting), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(waiting));
}

/* CUDA Driver API, API synchronization behavior: memset and copies within the device. */
Test(event_use, fills_and_copies_within_the_device_do_not_hold_the_host)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    const lab_deviceptr one = allocate(MEBIBYTE), other = allocate(MEBIBYTE);
    unsigned char *host = allocate_pinned(MEBIBYTE);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memset_async(one, 7, MEBIBYTE, stream));
    LAB_CHECK(lab_memcpy_dtod_async(other, one, MEBIBYTE, stream));
    LAB_CHECK(lab_memcpy_dtoh_async(host, other, MEBIBYTE, stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert(host[0] == 7 && host[MEBIBYTE - 1] == 7);
}

/* CUDA Driver API, Stream synchronization behavior: non-blocking streams take no part. */
Test(event_use, synchronous_copies_do_not_wait_for_non_blocking_streams)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    const lab_deviceptr memory = allocate(64);
    unsigned char sent[64], back[64] = {0};
    fill(sent, 64);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_memcpy_htod(memory, sent, 64));
    LAB_CHECK(lab_memcpy_dtoh(back, memory, 64));
    cr_assert_eq(first_difference(back, 64), 64);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
}
