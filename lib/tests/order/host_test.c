/* The catalogue: copies, and the host's own uses of its memory. */
#include "catalogue.h"

WRONG(the_host_reads_before_the_copy_is_done, "an asynchronous copy to the host, and no wait", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

RIGHT(the_host_waits_for_the_stream, "lab_stream_synchronize before the host reads")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_synchronize(kit->one));
    DO(lab_host_reads(kit->pinned, BYTES));
}

WRONG(the_host_waits_for_another_stream, "the wait is for the wrong stream", .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_stream_synchronize(kit->two));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

RIGHT(the_host_waits_for_an_event, "lab_event_synchronize before the host reads")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_event_synchronize(kit->event));
    DO(lab_host_reads(kit->pinned, BYTES));
}

WRONG(the_event_stands_before_the_copy, "the host waits for an event recorded before the copy", .bytes = BYTES,
      .edge = BY_WAIT)
{
    DO(lab_event_record(kit->event, kit->one));
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_synchronize(kit->event));
    SECOND(lab_host_reads(kit->pinned, BYTES));
}

RIGHT(the_host_waits_for_the_device, "lab_device_synchronize before the host reads")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_device_synchronize());
    DO(lab_host_reads(kit->pinned, BYTES));
}

RIGHT(the_host_asks_until_it_is_done, "a successful query counts as a wait")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    while (lab_stream_query(kit->one) == LAB_ERROR_NOT_READY) {}
    DO(lab_host_reads(kit->pinned, BYTES));
}

RIGHT(the_host_asks_an_event, "so does a successful query of an event")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_record(kit->event, kit->one));
    while (lab_event_query(kit->event) == LAB_ERROR_NOT_READY) {}
    DO(lab_host_reads(kit->pinned, BYTES));
}

WRONG(the_host_writes_what_is_being_copied, "the source of an asynchronous copy is written again", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->one));
    SECOND(lab_host_writes(kit->pinned, BYTES));
}

RIGHT(the_host_reads_what_is_being_copied, "reading the source of a copy needs no order")
{
    DO(lab_array_set_async(kit->a, kit->pinned, kit->one));
    DO(lab_host_reads(kit->pinned, BYTES));
}

WRONG(a_pageable_copy_need_not_wait, "CUDA does not promise that a copy of pageable memory waits", .bytes = BYTES,
      .edge = BY_WAIT, .why = "does not promise that a call waits for its copy of pageable memory")
{
    FIRST(lab_array_get_async(kit->a, kit->pageable, kit->one));
    SECOND(lab_host_reads(kit->pageable, BYTES));
}

RIGHT(a_synchronous_copy_to_the_host_waits, "lab_array_get returns when the data have arrived")
{
    DO(SET(kit->blocking, kit->a));
    DO(lab_array_get(kit->a, kit->pageable));
    DO(lab_host_reads(kit->pageable, BYTES));
}

WRONG(a_synchronous_copy_waits_for_the_null_stream_alone, "lab_array_get does not wait for a non-blocking stream",
      .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(kit->one, kit->a));
    SECOND(lab_array_get(kit->a, kit->pageable));
}

RIGHT(a_synchronous_copy_from_the_host_frees_its_source, "after lab_array_set the host may write its memory again")
{
    DO(lab_array_set(kit->a, kit->pageable));
    DO(lab_host_writes(kit->pageable, BYTES));
    DO(DUPLICATE(kit->blocking, kit->b, kit->a));
}

WRONG(a_pageable_copy_may_not_have_arrived, "lab_array_set may return before the last bytes have arrived",
      .bytes = BYTES, .edge = BY_EVENT, .why = "has been read when its call returns, not that it has arrived")
{
    FIRST(lab_array_set(kit->a, kit->pageable));
    SECOND(DUPLICATE(kit->one, kit->b, kit->a));
}

WRONG(a_new_array_may_not_have_its_numbers, "lab_array_from_host may return before the last bytes have arrived",
      .bytes = BYTES, .edge = BY_EVENT, .why = "has been read when its call returns, not that it has arrived")
{
    lab_array *made;
    FIRST(lab_array_from_host(&made, LAB_FLOAT32, LAB_SHAPE(COUNT), kit->pageable));
    SECOND(DUPLICATE(kit->one, kit->b, made));
    DO(lab_array_destroy(made));
}

RIGHT(a_pinned_copy_has_arrived, "with pinned memory lab_array_set returns when the copy is done")
{
    DO(lab_array_set(kit->a, kit->pinned));
    DO(DUPLICATE(kit->one, kit->b, kit->a));
}

WRONG(one_buffer_for_two_copies, "the second copy overwrites bytes that the first still reads", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(lab_array_set_async(kit->a, kit->pinned, kit->one));
    SECOND(lab_array_get_async(kit->b, kit->pinned, kit->two));
}

RIGHT(two_buffers_used_in_turn, "the host waits for each buffer's copy before reusing the buffer")
{
    float *buffer[2] = {kit->pinned, kit->pinned_too};
    lab_event *done[2] = {kit->event, kit->other_event};
    for (int i = 0; i < 6; i++) {
        DO(lab_event_synchronize(done[i % 2]));
        DO(lab_host_writes(buffer[i % 2], BYTES));
        DO(lab_array_set_async(kit->a, buffer[i % 2], kit->one));
        DO(lab_event_record(done[i % 2], kit->one));
    }
}

WRONG(two_buffers_without_a_wait, "the buffer is written again while its copy may run", .bytes = BYTES, .edge = BY_WAIT)
{
    float *buffer[2] = {kit->pinned, kit->pinned_too};
    DO(lab_host_writes(buffer[0], BYTES));
    FIRST(lab_array_set_async(kit->a, buffer[0], kit->one));
    DO(lab_array_set_async(kit->b, buffer[1], kit->one));
    SECOND(lab_host_writes(buffer[0], BYTES));
}

static void nothing(void *user) { (void)user; }

WRONG(a_host_function_without_order, "a host function works on a buffer that a copy still fills", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_next_uses_host(kit->pinned, BYTES, true));
    SECOND(lab_stream_launch_host_func(kit->two, nothing, NULL));
}

RIGHT(a_host_function_on_the_stream_of_the_copy, "a host function takes its turn on its stream")
{
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_next_uses_host(kit->pinned, BYTES, true));
    DO(lab_stream_launch_host_func(kit->one, nothing, NULL));
    DO(lab_array_set_async(kit->b, kit->pinned, kit->one));
}

WRONG(an_elapsed_time_of_other_work, "the program read an elapsed time, but between events of another stream",
      .bytes = BYTES, .edge = BY_WAIT)
{
    float milliseconds;
    lab_event *start;
    DO(lab_event_create(&start, LAB_EVENT_DEFAULT));
    DO(lab_event_record(start, kit->two));
    DO(lab_event_record(kit->event, kit->two));
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_event_synchronize(kit->event));
    DO(lab_event_elapsed_time(&milliseconds, start, kit->event));
    SECOND(lab_host_reads(kit->pinned, BYTES));
    DO(lab_event_destroy(start));
}

RIGHT(freeing_memory_waits_for_the_device, "lab_mem_free waits for all work of its context")
{
    lab_deviceptr memory;
    DO(lab_mem_alloc(&memory, 64));
    DO(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_mem_free(memory));
    DO(lab_host_reads(kit->pinned, BYTES));
}
