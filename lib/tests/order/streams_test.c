/* The catalogue: two streams on the same memory, and what an event orders. */
#include "catalogue.h"

WRONG(two_streams_write_one_array, "no event between two kernels of two streams", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(INCREASE(kit->one, kit->a));
    SECOND(INCREASE(kit->two, kit->a));
}

RIGHT(an_event_orders_two_streams, "the second stream waits for an event of the first")
{
    DO(INCREASE(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(INCREASE(kit->two, kit->a));
}

WRONG(read_after_write, "the reader does not wait for the writer", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(write_after_read, "the writer does not wait for the reader", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(DUPLICATE(kit->one, kit->b, kit->a));
    SECOND(SET(kit->two, kit->a));
}

RIGHT(two_streams_read_one_array, "two reads need no order")
{
    DO(DUPLICATE(kit->one, kit->b, kit->a));
    DO(DUPLICATE(kit->two, kit->c, kit->a));
}

WRONG(one_of_two_readers_is_forgotten, "the writer waits for one reader of two", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(DUPLICATE(kit->one, kit->b, kit->a));
    FIRST(DUPLICATE(kit->two, kit->c, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->three, kit->event));
    SECOND(SET(kit->three, kit->a));
}

RIGHT(both_readers_are_waited_for, "the writer waits for both readers")
{
    DO(DUPLICATE(kit->one, kit->b, kit->a));
    DO(DUPLICATE(kit->two, kit->c, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_record(kit->other_event, kit->two));
    DO(lab_stream_wait_event(kit->three, kit->event));
    DO(lab_stream_wait_event(kit->three, kit->other_event));
    DO(SET(kit->three, kit->a));
}

WRONG(the_event_is_recorded_too_early, "the event is recorded before the kernel", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_event_record(kit->event, kit->one));
    FIRST(SET(kit->one, kit->a));
    DO(lab_stream_wait_event(kit->two, kit->event));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(the_wait_comes_too_late, "the stream waits after its kernel", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    DO(lab_stream_wait_event(kit->two, kit->event));
}

WRONG(the_wait_comes_before_the_record, "a wait for an event never recorded has no effect", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_event_record(kit->event, kit->one));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(the_event_is_recorded_again_elsewhere, "the wait stands for the later record, on a third stream", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_record(kit->event, kit->three));
    DO(lab_stream_wait_event(kit->two, kit->event));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(an_earlier_wait_keeps_the_earlier_record, "recording again does not change earlier waits")
{
    DO(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    DO(lab_event_record(kit->event, kit->three));
    DO(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(the_record_is_a_snapshot, "work enqueued after the record is not waited for", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(SET(kit->one, kit->b));
    DO(lab_event_record(kit->event, kit->one));
    FIRST(SET(kit->one, kit->a));
    DO(lab_stream_wait_event(kit->two, kit->event));
    SECOND(DUPLICATE(kit->two, kit->c, kit->a));
}

WRONG(the_wrong_event, "the stream waits for an event other than the recorded one", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(lab_event_record(kit->other_event, kit->three));
    FIRST(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->other_event));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(the_wrong_stream_waits, "another stream waits", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->three, kit->event));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(order_passes_through_a_third_stream, "waits chain: one, three, two")
{
    DO(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->three, kit->event));
    DO(lab_event_record(kit->other_event, kit->three));
    DO(lab_stream_wait_event(kit->two, kit->other_event));
    DO(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(a_destroyed_event_keeps_its_wait, "destroying an event cancels no wait")
{
    lab_event *passing;
    DO(SET(kit->one, kit->a));
    DO(lab_event_create(&passing, LAB_EVENT_DISABLE_TIMING));
    DO(lab_event_record(passing, kit->one));
    DO(lab_stream_wait_event(kit->two, passing));
    DO(lab_event_destroy(passing));
    DO(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(one_stream_needs_nothing, "a stream runs in order")
{
    DO(SET(kit->one, kit->a));
    DO(INCREASE(kit->one, kit->a));
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
}

RIGHT(different_arrays_need_nothing, "two streams on two arrays")
{
    DO(SET(kit->one, kit->a));
    DO(SET(kit->two, kit->b));
}

WRONG(a_stream_that_was_destroyed, "destroying a stream does not wait for its work", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_stream *passing;
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    FIRST(SET(passing, kit->a));
    DO(lab_stream_destroy(passing));
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

WRONG(a_new_stream_is_not_the_old_one, "a stream created later, perhaps at the same address, is another stream",
      .bytes = BYTES, .edge = BY_EVENT)
{
    lab_stream *passing;
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    FIRST(SET(passing, kit->a));
    DO(lab_stream_destroy(passing));
    DO(lab_stream_create(&passing, LAB_STREAM_NON_BLOCKING));
    SECOND(DUPLICATE(passing, kit->b, kit->a));
    DO(lab_stream_destroy(passing));
}
