/* The catalogue: two streams on the same memory, and what an event orders. */
#include "catalogue.h"

WRONG(two_streams_write_one_array, "no event between two kernels of two streams", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(INCREASE(on->one, on->a));
    SECOND(INCREASE(on->two, on->a));
}

RIGHT(an_event_orders_two_streams, "the second stream waits for an event of the first")
{
    DO(INCREASE(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->two, on->event));
    DO(INCREASE(on->two, on->a));
}

WRONG(read_after_write, "the reader does not wait for the writer", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

WRONG(write_after_read, "the writer does not wait for the reader", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(DUPLICATE(on->one, on->b, on->a));
    SECOND(SET(on->two, on->a));
}

RIGHT(two_streams_read_one_array, "two reads need no order")
{
    DO(DUPLICATE(on->one, on->b, on->a));
    DO(DUPLICATE(on->two, on->c, on->a));
}

WRONG(one_of_two_readers_is_forgotten, "the writer waits for one reader of two", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(DUPLICATE(on->one, on->b, on->a));
    FIRST(DUPLICATE(on->two, on->c, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->three, on->event));
    SECOND(SET(on->three, on->a));
}

RIGHT(both_readers_are_waited_for, "the writer waits for both readers")
{
    DO(DUPLICATE(on->one, on->b, on->a));
    DO(DUPLICATE(on->two, on->c, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_event_record(on->other_event, on->two));
    DO(lab_stream_wait_event(on->three, on->event));
    DO(lab_stream_wait_event(on->three, on->other_event));
    DO(SET(on->three, on->a));
}

WRONG(the_event_is_recorded_too_early, "the event is recorded before the kernel", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_event_record(on->event, on->one));
    FIRST(SET(on->one, on->a));
    DO(lab_stream_wait_event(on->two, on->event));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

WRONG(the_wait_comes_too_late, "the stream waits after its kernel", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    SECOND(DUPLICATE(on->two, on->b, on->a));
    DO(lab_stream_wait_event(on->two, on->event));
}

WRONG(the_wait_comes_before_the_record, "a wait for an event never recorded has no effect", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    DO(lab_stream_wait_event(on->two, on->event));
    DO(lab_event_record(on->event, on->one));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

WRONG(the_event_is_recorded_again_elsewhere, "the wait stands for the later record, on a third stream", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_event_record(on->event, on->three));
    DO(lab_stream_wait_event(on->two, on->event));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(an_earlier_wait_keeps_the_earlier_record, "recording again leaves the waits before as they were")
{
    DO(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->two, on->event));
    DO(lab_event_record(on->event, on->three));
    DO(DUPLICATE(on->two, on->b, on->a));
}

WRONG(the_record_is_a_snapshot, "what is enqueued after the record is not waited for", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(SET(on->one, on->b));
    DO(lab_event_record(on->event, on->one));
    FIRST(SET(on->one, on->a));
    DO(lab_stream_wait_event(on->two, on->event));
    SECOND(DUPLICATE(on->two, on->c, on->a));
}

WRONG(the_wrong_event, "the stream waits for another event than the one recorded", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_event_record(on->other_event, on->three));
    FIRST(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->two, on->other_event));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

WRONG(the_wrong_stream_waits, "another stream waits", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->three, on->event));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(order_passes_through_a_third_stream, "waits chain: one, three, two")
{
    DO(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->three, on->event));
    DO(lab_event_record(on->other_event, on->three));
    DO(lab_stream_wait_event(on->two, on->other_event));
    DO(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(a_destroyed_event_keeps_its_wait, "destroying an event takes no wait back")
{
    lab_event *passing;
    DO(SET(on->one, on->a));
    DO(lab_event_create(&passing, LAB_EVENT_DISABLE_TIMING));
    DO(lab_event_record(passing, on->one));
    DO(lab_stream_wait_event(on->two, passing));
    DO(lab_event_destroy(passing));
    DO(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(one_stream_needs_nothing, "a stream runs in order")
{
    DO(SET(on->one, on->a));
    DO(INCREASE(on->one, on->a));
    DO(lab_array_get_async(on->a, on->pinned, on->one));
}

RIGHT(different_arrays_need_nothing, "two streams on two arrays")
{
    DO(SET(on->one, on->a));
    DO(SET(on->two, on->b));
}

WRONG(a_stream_that_was_destroyed, "destroying a stream does not wait for its work", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_stream *passing;
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    FIRST(SET(passing, on->a));
    DO(lab_stream_destroy(passing));
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

WRONG(a_new_stream_is_not_the_old_one, "a stream made later, perhaps at the same address, is another stream",
      .bytes = BYTES, .edge = BY_EVENT)
{
    lab_stream *passing;
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    FIRST(SET(passing, on->a));
    DO(lab_stream_destroy(passing));
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    SECOND(DUPLICATE(passing, on->b, on->a));
    DO(lab_stream_destroy(passing));
}
