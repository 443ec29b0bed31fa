/* Recording: what each operation waits for, and what queries leave. */
#include "conformance/gate.h"
#include "record/record.h"
#include "record_kit.h"

#include <pthread.h>
#include <stdlib.h>

Test(record, a_wait_names_the_record_the_event_stood_for_at_the_call)
{
    lab_stream *first = make_stream(LAB_STREAM_NON_BLOCKING), *second = make_stream(LAB_STREAM_NON_BLOCKING),
               *third = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_event *event, *never;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&never, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_event_record(event, first));
    LAB_CHECK(lab_stream_wait_event(third, event));
    LAB_CHECK(lab_event_record(event, second));
    LAB_CHECK(lab_stream_wait_event(third, event));
    LAB_CHECK(lab_stream_wait_event(third, never));
    LAB_CHECK(lab_event_synchronize(event));
    LAB_CHECK(lab_event_synchronize(never));
    lab_trace *trace = end();
    const lab_trace_op *record[] = {find(trace, LAB_OP_EVENT_RECORD, 0), find(trace, LAB_OP_EVENT_RECORD, 1)};
    const lab_trace_op *wait = find(trace, LAB_OP_EVENT_WAIT, 0);
    cr_assert(wait->waits == 1 && waits_for(wait, record[0]));
    wait = find(trace, LAB_OP_EVENT_WAIT, 1);
    cr_assert(wait->waits == 1 && waits_for(wait, record[1]));
    cr_assert_eq(find(trace, LAB_OP_EVENT_WAIT, 2)->waits, 0);
    cr_assert(waits_for(find(trace, LAB_OP_EVENT_SYNC, 0), record[1]));
    cr_assert_eq(find(trace, LAB_OP_EVENT_SYNC, 1)->waits, 0);
    cr_assert_eq(record[0]->object, wait->object);
    lab_trace_free(trace);
}

Test(record, a_wait_for_an_event_of_an_earlier_record_names_nothing)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING), *other = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(16);
    lab_event *before, *during;
    LAB_CHECK(lab_event_create(&before, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&during, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(before, stream));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_event_record(during, stream));
    LAB_CHECK(lab_trace_begin());
    for (int i = 0; i < 10; i++) LAB_CHECK(lab_memset_async(memory, 0, 16, stream));
    LAB_CHECK(lab_stream_wait_event(other, before));
    LAB_CHECK(lab_stream_wait_event(other, during));
    LAB_CHECK(lab_event_synchronize(during));
    lab_trace *trace = end();
    for (size_t i = 0; i < trace->ops; i++) cr_assert_eq(trace->op[i].waits, 0, "operation %zu", i + 1);
    lab_trace_free(trace);
}

static lab_status query_event_of(void *event) { return lab_event_query(event); }
static lab_status query_stream_of(void *stream) { return lab_stream_query(stream); }

/* Asks until the work is done. The gate opens after the first answers. */
static void ask_until_done(lab_status (*query)(void *), void *object, gate *closed)
{
    for (int i = 0; i < 1000; i++) cr_assert_eq(query(object), LAB_ERROR_NOT_READY);
    gate_open(closed);
    while (query(object) == LAB_ERROR_NOT_READY) usleep(100);
    for (int i = 0; i < 1000; i++) LAB_CHECK(query(object));
}

Test(record, a_loop_of_queries_leaves_one_wait_for_what_it_covers)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    gate closed[2] = {GATE_CLOSED, GATE_CLOSED};
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    gate_close_stream(&closed[0], stream);
    ask_until_done(query_stream_of, stream, &closed[0]);
    gate_close_stream(&closed[1], stream);
    LAB_CHECK(lab_event_record(event, stream));
    ask_until_done(query_event_of, event, &closed[1]);
    lab_trace *trace = end();
    const lab_trace_op *of_stream = find(trace, LAB_OP_STREAM_QUERY, 0), *of_event = find(trace, LAB_OP_EVENT_QUERY, 0);
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY), 1);
    cr_assert_eq(count(trace, LAB_OP_EVENT_QUERY), 1);
    cr_assert(of_stream->host_waits && of_stream->stream == id_of(stream) && of_stream->waits == 1);
    cr_assert(waits_for(of_stream, find(trace, LAB_OP_HOST_FUNCTION, 0)));
    cr_assert(of_event->host_waits && of_event->waits == 1);
    cr_assert(waits_for(of_event, find(trace, LAB_OP_EVENT_RECORD, 0)));
    cr_assert_eq(of_event->object, find(trace, LAB_OP_EVENT_RECORD, 0)->object);
    cr_assert(of_stream->call_ns <= of_stream->return_ns && of_stream->start_ns == -1);
    lab_trace_free(trace);
}

Test(record, streams_that_are_asked_in_turn_leave_one_wait_each)
{
    enum { STREAMS = 3 };
    lab_stream *stream[STREAMS];
    gate closed[STREAMS] = {GATE_CLOSED, GATE_CLOSED, GATE_CLOSED};
    for (int k = 0; k < STREAMS; k++) stream[k] = make_stream(LAB_STREAM_NON_BLOCKING);
    LAB_CHECK(lab_trace_begin());
    for (int k = 0; k < STREAMS; k++) gate_close_stream(&closed[k], stream[k]);
    int ready = 0;
    for (int turn = 0; ready < STREAMS; turn++) {
        if (turn % 100 == 99 && turn / 100 < STREAMS) gate_open(&closed[turn / 100]);
        usleep(10);
        ready = 0;
        for (int k = 0; k < STREAMS; k++) ready += lab_stream_query(stream[k]) == LAB_SUCCESS;
    }
    lab_trace *trace = end();
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY), STREAMS);
    for (int i = 0; i < STREAMS; i++) cr_assert(find(trace, LAB_OP_STREAM_QUERY, i)->host_waits);
    lab_trace_free(trace);
}

Test(record, a_query_in_passing_is_no_wait_of_the_host)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    gate closed = GATE_CLOSED;
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    gate_close_stream(&closed, stream);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    LAB_CHECK(lab_event_record(event, stream));
    gate_open(&closed);
    while (lab_event_query(event) == LAB_ERROR_NOT_READY) usleep(100);
    LAB_CHECK(lab_stream_query(stream));
    lab_trace *trace = end();
    const lab_trace_op *asked = find(trace, LAB_OP_STREAM_QUERY, 0);
    cr_assert(!asked->host_waits, "the thread enqueued work after the answer \"not ready\"");
    cr_assert(asked->waits == 1 && waits_for(asked, find(trace, LAB_OP_EVENT_RECORD, 0)));
    lab_trace_free(trace);
}

static void *query_once(void *stream)
{
    LAB_CHECK(lab_stream_query(stream));
    LAB_CHECK(lab_stream_query(stream));
    return NULL;
}

Test(record, each_thread_learns_from_a_query_of_its_own)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(16);
    pthread_t thread;
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, stream));
    LAB_CHECK(lab_stream_synchronize(stream));
    query_once(stream);
    cr_assert_eq(pthread_create(&thread, NULL, query_once, stream), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    lab_trace *trace = end();
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY), 2);
    cr_assert_neq(find(trace, LAB_OP_STREAM_QUERY, 0)->thread, find(trace, LAB_OP_STREAM_QUERY, 1)->thread);
    lab_trace_free(trace);
}

static void do_nothing(void *user) { (void)user; }

/* All work is done when its call returns. */
Test(record, of_late_answers_makes_a_wait_of_asking_until_it_is_done)
{
    setenv("LAB_SCHEDULE", "fifo", 1);
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(16);
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    record_answer_late();
    for (int again = 0; again < 2; again++) {
        LAB_CHECK(lab_memset_async(memory, 0, 16, stream));
        cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
        LAB_CHECK(lab_stream_query(stream));
        LAB_CHECK(lab_stream_query(stream));
        LAB_CHECK(lab_event_record(event, stream));
        cr_assert_eq(lab_event_query(event), LAB_ERROR_NOT_READY);
        LAB_CHECK(lab_event_query(event));
    }
    lab_trace *trace = end();
    for (int i = 0; i < 2; i++) cr_assert(find(trace, LAB_OP_STREAM_QUERY, i)->host_waits);
    for (int i = 0; i < 2; i++) cr_assert(find(trace, LAB_OP_EVENT_QUERY, i)->host_waits);
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY) + count(trace, LAB_OP_EVENT_QUERY), 4);
    lab_trace_free(trace);
}

Test(record, of_late_answers_denies_nothing_that_the_host_may_know)
{
    setenv("LAB_SCHEDULE", "fifo", 1);
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING), *other = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(16);
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(event, stream));
    record_answer_late();
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_event_query(event)); /* of before the record */
    LAB_CHECK(lab_memset_async(memory, 0, 16, stream));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_event_query(event));
    LAB_CHECK(lab_stream_query(stream));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_wait_event(other, event));
    while (lab_stream_query(other) == LAB_ERROR_NOT_READY) {}
    LAB_CHECK(lab_event_query(event));
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_launch_host_func(stream, do_nothing, NULL)); /* may tell the host */
    LAB_CHECK(lab_event_query(event));
    lab_trace_free(end());
}

Test(record, a_query_that_covers_nothing_leaves_nothing)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING), *blocking = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr memory = allocate(16);
    lab_event *never, *before;
    LAB_CHECK(lab_event_create(&never, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_create(&before, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(before, stream));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, lab_stream_null()));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_event_query(never));
    LAB_CHECK(lab_event_query(before));
    LAB_CHECK(lab_stream_query(stream));
    LAB_CHECK(lab_stream_query(blocking));
    lab_trace *trace = end();
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY) + count(trace, LAB_OP_EVENT_QUERY), 0);
    lab_trace_free(trace);
}

Test(record, a_query_after_a_call_that_failed_covers_the_work_before_it)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_order_start(LAB_ORDER_ERROR));
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, make_stream(LAB_STREAM_NON_BLOCKING)));
    LAB_CHECK(lab_memset_async(allocate(16), 0, 16, stream));
    cr_assert_eq(lab_memset_async(memory, 0, 16, stream), LAB_ERROR_NOT_ORDERED);
    while (lab_stream_query(stream) == LAB_ERROR_NOT_READY) usleep(100);
    lab_trace *trace = end();
    LAB_CHECK(lab_order_start(LAB_ORDER_OFF));
    const lab_trace_op *asked = find(trace, LAB_OP_STREAM_QUERY, 0);
    cr_assert_eq(count(trace, LAB_OP_FILL), 2);
    cr_assert(asked->waits == 1 && waits_for(asked, find(trace, LAB_OP_FILL, 1)));
    lab_trace_free(trace);
}

Test(record, a_query_of_the_null_stream_covers_blocking_streams)
{
    lab_stream *blocking = make_stream(LAB_STREAM_DEFAULT), *apart = make_stream(LAB_STREAM_NON_BLOCKING);
    lab_deviceptr memory = allocate(48);
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, lab_stream_null()));
    LAB_CHECK(lab_memset_async(memory + 16, 0, 16, apart));
    LAB_CHECK(lab_memset_async(memory + 32, 0, 16, blocking));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_stream_query(lab_stream_null()));
    LAB_CHECK(lab_memset_async(memory + 32, 0, 16, blocking));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_stream_query(lab_stream_null()));
    lab_trace *trace = end();
    cr_assert_eq(count(trace, LAB_OP_STREAM_QUERY), 2);
    for (int i = 0; i < 2; i++) {
        const lab_trace_op *asked = find(trace, LAB_OP_STREAM_QUERY, i);
        cr_assert(waits_for(asked, find(trace, LAB_OP_FILL, 0)) && waits_for(asked, find(trace, LAB_OP_FILL, 2 + i)));
        cr_assert_eq(asked->waits, 2);
    }
    lab_trace_free(trace);
}

Test(record, the_null_stream_waits_for_blocking_streams_and_they_for_it)
{
    lab_stream *a = make_stream(LAB_STREAM_DEFAULT), *b = make_stream(LAB_STREAM_DEFAULT),
               *apart = make_stream(LAB_STREAM_NON_BLOCKING), *null_stream = lab_stream_null();
    lab_stream *const order[] = {a, b, apart, null_stream, a, a, apart, null_stream, null_stream};
    /* For each fill, the bits of the earlier fills that it waits for. */
    static const unsigned expected[] = {0, 0, 0, 1 << 0 | 1 << 1, 1 << 3, 0, 0, 1 << 5, 0};
    enum { FILLS = sizeof order / sizeof *order };
    lab_deviceptr memory = allocate(16 * FILLS); /* one part per fill: some fills run at the same time */
    LAB_CHECK(lab_trace_begin());
    for (unsigned i = 0; i < FILLS; i++) LAB_CHECK(lab_memset_async(memory + 16 * i, 0, 16, order[i]));
    lab_trace *trace = end();
    for (int i = 0; i < FILLS; i++)
        for (int k = 0; k < FILLS; k++)
            cr_assert_eq(waits_for(find(trace, LAB_OP_FILL, i), find(trace, LAB_OP_FILL, k)), expected[i] >> k & 1,
                         "fill %d for fill %d", i, k);
    lab_trace_free(trace);
}

Test(record, synchronizing_names_null_stream_order_only_where_it_waits_for_it)
{
    lab_stream *blocking = make_stream(LAB_STREAM_DEFAULT);
    lab_deviceptr memory = allocate(16);
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_memset_async(memory, 0, 16, lab_stream_null()));
    LAB_CHECK(lab_stream_synchronize(blocking));
    LAB_CHECK(lab_memset_async(memory, 0, 16, blocking));
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    LAB_CHECK(lab_stream_destroy(blocking));
    lab_trace *trace = end();
    cr_assert_eq(find(trace, LAB_OP_STREAM_SYNC, 0)->waits, 0);
    cr_assert(waits_for(find(trace, LAB_OP_STREAM_SYNC, 1), find(trace, LAB_OP_FILL, 1)));
    cr_assert_eq(find(trace, LAB_OP_STREAM_DESTROY, 0)->waits, 0);
    lab_trace_free(trace);
}
