/* The catalogue: copies, and what the host does with its memory and when. */
#include "catalogue.h"

WRONG(the_host_reads_before_the_copy_is_done, "an asynchronous copy to the host, and nobody waits", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    SECOND(lab_host_reads(on->pinned, BYTES));
}

RIGHT(the_host_waits_for_the_stream, "lab_stream_synchronize before the host reads")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_stream_synchronize(on->one));
    DO(lab_host_reads(on->pinned, BYTES));
}

WRONG(the_host_waits_for_another_stream, "the wait is for the wrong stream", .bytes = BYTES, .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_stream_synchronize(on->two));
    SECOND(lab_host_reads(on->pinned, BYTES));
}

RIGHT(the_host_waits_for_an_event, "lab_event_synchronize before the host reads")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_event_record(on->event, on->one));
    DO(lab_event_synchronize(on->event));
    DO(lab_host_reads(on->pinned, BYTES));
}

WRONG(the_event_stands_before_the_copy, "the host waits for an event recorded before the copy", .bytes = BYTES,
      .edge = BY_WAIT)
{
    DO(lab_event_record(on->event, on->one));
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_event_synchronize(on->event));
    SECOND(lab_host_reads(on->pinned, BYTES));
}

RIGHT(the_host_waits_for_the_device, "lab_device_synchronize before the host reads")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_device_synchronize());
    DO(lab_host_reads(on->pinned, BYTES));
}

RIGHT(the_host_asks_until_it_is_done, "a query with success tells as much as a wait")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    while (lab_stream_query(on->one) == LAB_ERROR_NOT_READY) {}
    DO(lab_host_reads(on->pinned, BYTES));
}

RIGHT(the_host_asks_an_event, "so does that of an event")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_event_record(on->event, on->one));
    while (lab_event_query(on->event) == LAB_ERROR_NOT_READY) {}
    DO(lab_host_reads(on->pinned, BYTES));
}

WRONG(the_host_writes_what_is_being_copied, "the source of an asynchronous copy is written again", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_set_async(on->a, on->pinned, on->one));
    SECOND(lab_host_writes(on->pinned, BYTES));
}

RIGHT(the_host_reads_what_is_being_copied, "reading the source of a copy needs no order")
{
    DO(lab_array_set_async(on->a, on->pinned, on->one));
    DO(lab_host_reads(on->pinned, BYTES));
}

WRONG(a_pageable_copy_need_not_wait, "CUDA does not promise that a copy of pageable memory waits", .bytes = BYTES,
      .edge = BY_WAIT)
{
    FIRST(lab_array_get_async(on->a, on->pageable, on->one));
    SECOND(lab_host_reads(on->pageable, BYTES));
}

RIGHT(a_synchronous_copy_to_the_host_waits, "lab_array_get returns when the data are there")
{
    DO(SET(on->blocking, on->a));
    DO(lab_array_get(on->a, on->pageable));
    DO(lab_host_reads(on->pageable, BYTES));
}

WRONG(a_synchronous_copy_waits_for_the_null_stream_alone, "lab_array_get does not wait for a non-blocking stream",
      .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(SET(on->one, on->a));
    SECOND(lab_array_get(on->a, on->pageable));
}

RIGHT(a_synchronous_copy_from_the_host_frees_its_source, "after lab_array_set the host may write its memory again")
{
    DO(lab_array_set(on->a, on->pageable));
    DO(lab_host_writes(on->pageable, BYTES));
    DO(DUPLICATE(on->blocking, on->b, on->a));
}

WRONG(a_pageable_copy_may_not_have_arrived, "lab_array_set may return before the last bytes have arrived",
      .bytes = BYTES, .edge = BY_EVENT)
{
    FIRST(lab_array_set(on->a, on->pageable));
    SECOND(DUPLICATE(on->one, on->b, on->a));
}

RIGHT(a_pinned_copy_has_arrived, "with pinned memory lab_array_set returns when the copy is done")
{
    DO(lab_array_set(on->a, on->pinned));
    DO(DUPLICATE(on->one, on->b, on->a));
}

WRONG(one_buffer_for_two_copies, "the second copy overwrites what the first still reads", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(lab_array_set_async(on->a, on->pinned, on->one));
    SECOND(lab_array_get_async(on->b, on->pinned, on->two));
}

RIGHT(two_buffers_used_in_turn, "each buffer's copy is waited for before it is used again")
{
    float *buffer[2] = {on->pinned, on->pinned_too};
    lab_event *done[2] = {on->event, on->other_event};
    for (int i = 0; i < 6; i++) {
        DO(lab_event_synchronize(done[i % 2]));
        DO(lab_host_writes(buffer[i % 2], BYTES));
        DO(lab_array_set_async(on->a, buffer[i % 2], on->one));
        DO(lab_event_record(done[i % 2], on->one));
    }
}

WRONG(two_buffers_without_a_wait, "the buffer is written again while its copy may run", .bytes = BYTES, .edge = BY_WAIT)
{
    float *buffer[2] = {on->pinned, on->pinned_too};
    DO(lab_host_writes(buffer[0], BYTES));
    FIRST(lab_array_set_async(on->a, buffer[0], on->one));
    DO(lab_array_set_async(on->b, buffer[1], on->one));
    SECOND(lab_host_writes(buffer[0], BYTES));
}

static void nothing(void *user) { (void)user; }

WRONG(a_host_function_without_order, "a host function works on a buffer that a copy still fills", .bytes = BYTES,
      .edge = BY_EVENT)
{
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_next_uses_host(on->pinned, BYTES, true));
    SECOND(lab_stream_launch_host_func(on->two, nothing, NULL));
}

RIGHT(a_host_function_on_the_stream_of_the_copy, "a host function takes its turn on its stream")
{
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_next_uses_host(on->pinned, BYTES, true));
    DO(lab_stream_launch_host_func(on->one, nothing, NULL));
    DO(lab_array_set_async(on->b, on->pinned, on->one));
}

WRONG(an_elapsed_time_of_other_work, "the time was read, but of events of another stream", .bytes = BYTES,
      .edge = BY_WAIT)
{
    float milliseconds;
    lab_event *start;
    DO(lab_event_create(&start, LAB_EVENT_DEFAULT));
    DO(lab_event_record(start, on->two));
    DO(lab_event_record(on->event, on->two));
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_event_synchronize(on->event));
    DO(lab_event_elapsed_time(&milliseconds, start, on->event));
    SECOND(lab_host_reads(on->pinned, BYTES));
    DO(lab_event_destroy(start));
}

RIGHT(freeing_memory_waits_for_the_device, "lab_mem_free waits for all work of its context")
{
    lab_deviceptr memory;
    DO(lab_mem_alloc(&memory, 64));
    DO(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_mem_free(memory));
    DO(lab_host_reads(on->pinned, BYTES));
}
