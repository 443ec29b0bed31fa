/* The catalogue: the null stream, blocking and non-blocking streams, and each thread's default stream. */
#include "catalogue.h"

RIGHT(the_null_stream_waits_for_blocking_streams,
      "an operation of the null stream comes after those of blocking streams")
{
    DO(SET(kit->blocking, kit->a));
    DO(DUPLICATE(lab_stream_null(), kit->b, kit->a));
}

RIGHT(blocking_streams_wait_for_the_null_stream, "later work on a blocking stream comes after it")
{
    DO(SET(lab_stream_null(), kit->a));
    DO(DUPLICATE(kit->blocking, kit->b, kit->a));
}

WRONG(a_non_blocking_stream_does_not_wait_for_the_null_stream, "the stream takes no part in the null stream's order",
      .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(lab_stream_null(), kit->a));
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
}

WRONG(the_null_stream_does_not_wait_for_a_non_blocking_one, "nor does the null stream wait for it", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    SECOND(DUPLICATE(lab_stream_null(), kit->b, kit->a));
}

WRONG(two_blocking_streams_are_not_ordered, "blocking streams are ordered with the null stream, not with each other",
      .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->blocking, kit->a));
    SECOND(DUPLICATE(kit->another, kit->b, kit->a));
}

RIGHT(the_null_stream_stands_between_two_blocking_ones, "its operation orders the work before and after it")
{
    DO(SET(kit->blocking, kit->a));
    DO(SET(lab_stream_null(), kit->c));
    DO(DUPLICATE(kit->another, kit->b, kit->a));
}

WRONG(only_what_was_enqueued_before_the_null_stream,
      "work enqueued after the null stream's operation is not ordered by it", .bytes = BYTES, .edge = BY_EVENT)
{
    DO(SET(lab_stream_null(), kit->c));
    FIRST(SET(kit->blocking, kit->a));
    SECOND(DUPLICATE(kit->another, kit->b, kit->a));
}

RIGHT(the_default_stream_of_a_thread_is_blocking, "it is ordered with the null stream")
{
    DO(SET(lab_stream_per_thread(), kit->a));
    DO(DUPLICATE(lab_stream_null(), kit->b, kit->a));
}

WRONG(the_default_stream_of_a_thread_is_a_stream, "it is not the null stream", .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(lab_stream_per_thread(), kit->a));
    SECOND(DUPLICATE(kit->blocking, kit->b, kit->a));
}

WRONG(an_array_filled_on_the_null_stream, "the contents are ready for the current stream alone", .bytes = BYTES,
      .edge = BY_EVENT)
{
    lab_array *zeros;
    FIRST(lab_array_zeros(&zeros, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    SECOND(DUPLICATE(kit->one, kit->b, zeros));
    DO(lab_array_destroy(zeros));
}

RIGHT(an_array_filled_on_the_stream_that_uses_it, "the current stream is the one that uses the array")
{
    lab_array *zeros = NULL;
    LAB_WITH_STREAM(kit->one) DO(lab_array_zeros(&zeros, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    DO(DUPLICATE(kit->one, kit->b, zeros));
    DO(lab_array_destroy(zeros));
}

RIGHT(an_event_of_the_null_stream, "a non-blocking stream can wait for an event of the null stream")
{
    DO(SET(lab_stream_null(), kit->a));
    DO(lab_event_record(kit->event, lab_stream_null()));
    DO(lab_stream_wait_event(kit->one, kit->event));
    DO(DUPLICATE(kit->one, kit->b, kit->a));
}

static void free_on(ground *kit, lab_stream *freeing, lab_stream *owner, lab_stream *user)
{
    lab_deviceptr block;
    DO(lab_mempool_alloc(&block, NULL, BYTES, owner));
    FIRST(USE_HIDDEN(user, block, true));
    SECOND(lab_mempool_free(NULL, block, freeing));
}

RIGHT(a_block_freed_on_the_null_stream, "the free comes after the work of blocking streams")
{
    free_on(kit, lab_stream_null(), kit->another, kit->blocking);
}

RIGHT(a_block_that_the_null_stream_used, "the free on a blocking stream comes after the null stream's work")
{
    free_on(kit, kit->blocking, kit->blocking, lab_stream_null());
}

WRONG(a_block_freed_on_another_blocking_stream, "blocking streams are not ordered with each other", .bytes = BYTES,
      .edge = BY_TELLING_OR_EVENT, .kind = LAB_ORDER_FREE_IN_USE)
{
    free_on(kit, kit->another, kit->another, kit->blocking);
}

RIGHT(the_host_waits_for_the_null_stream, "its wait covers the work of blocking streams")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->blocking));
    DO(lab_stream_synchronize(lab_stream_null()));
    DO(lab_host_reads(kit->pinned, BYTES));
}

WRONG(the_host_waits_for_the_null_stream_alone, "its wait does not cover a non-blocking stream", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_synchronize(lab_stream_null()));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}
