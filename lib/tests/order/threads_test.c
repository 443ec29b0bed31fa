/* The catalogue: several host threads, contexts and devices. */
#include "catalogue.h"

static void in_thread(void *(*body)(void *kit), ground *kit)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, body, kit), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

static void *set_on_one(void *ground_of_it)
{
    ground *kit = ground_of_it;
    FIRST(SET(kit->one, kit->a));
    return NULL;
}

static void *set_on_one_and_wait(void *ground_of_it)
{
    ground *kit = ground_of_it;
    DO(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    return NULL;
}

WRONG(a_thread_that_does_not_wait, "joining a thread does not wait for its stream", .bytes = BYTES, .edge = BY_EVENT)
{
    in_thread(set_on_one, kit);
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(a_thread_that_waits_and_is_joined, "the joining thread knows what the joined thread waited for")
{
    in_thread(set_on_one_and_wait, kit);
    DO(DUPLICATE(kit->two, kit->b, kit->a));
}

RIGHT(threads_one_after_another, "the next thread is started after the last one was joined")
{
    for (int i = 0; i < 3; i++) in_thread(set_on_one_and_wait, kit);
    DO(INCREASE(kit->three, kit->a));
}

static void *duplicate_on_two(void *ground_of_it)
{
    ground *kit = ground_of_it;
    DO(DUPLICATE(kit->two, kit->b, kit->a));
    return NULL;
}

RIGHT(work_done_before_a_thread_starts, "a new thread knows what the previous one waited for")
{
    DO(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    in_thread(duplicate_on_two, kit);
}

RIGHT(two_threads_on_one_stream, "a stream has one order, whichever thread enqueues")
{
    DO(INCREASE(kit->one, kit->a));
    in_thread(set_on_one, kit);
    DO(INCREASE(kit->one, kit->a));
}

RIGHT(an_event_between_threads, "an event recorded by one thread and waited for by another")
{
    in_thread(set_on_one, kit);
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(kit->two, kit->event));
    in_thread(duplicate_on_two, kit);
}

static pthread_barrier_t meeting;

static void *wait_and_meet(void *ground_of_it)
{
    ground *kit = ground_of_it;
    FIRST(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    lab_host_release(&meeting);
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    return NULL;
}

static void meet(ground *kit, bool tells)
{
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    cr_assert_eq(pthread_create(&thread, NULL, wait_and_meet, kit), 0);
    pthread_barrier_wait(&meeting);
    if (tells) lab_host_acquire(&meeting);
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    pthread_barrier_wait(&meeting);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&meeting);
}

RIGHT(threads_that_hand_over, "the one released, the other acquired") { meet(kit, true); }

WRONG(threads_that_do_not_hand_over, "another thread's wait is not this one's", .bytes = BYTES, .edge = BY_HANDING_OVER)
{
    meet(kit, false);
}

/* A thread's first calls under the checker, after another thread has waited for its own stream. */
static void *meet_and_duplicate(void *ground_of_it)
{
    ground *kit = ground_of_it;
    pthread_barrier_wait(&meeting);
    SECOND(DUPLICATE(kit->two, kit->b, kit->a));
    pthread_barrier_wait(&meeting);
    return NULL;
}

static void *set_and_meet(void *ground_of_it)
{
    ground *kit = ground_of_it;
    FIRST(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    return NULL;
}

WRONG(two_threads_on_one_array, "each waits for its own stream, and only luck makes one the first", .bytes = BYTES,
      .edge = BY_HANDING_OVER)
{
    pthread_t thread[2];
    pthread_barrier_init(&meeting, NULL, 2);
    cr_assert_eq(pthread_create(&thread[0], NULL, set_and_meet, kit), 0);
    cr_assert_eq(pthread_create(&thread[1], NULL, meet_and_duplicate, kit), 0);
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_join(thread[i], NULL), 0);
    pthread_barrier_destroy(&meeting);
}

static void *start_another(void *ground_of_it)
{
    ground *kit = ground_of_it;
    DO(SET(kit->one, kit->a));
    DO(lab_stream_synchronize(kit->one));
    in_thread(duplicate_on_two, kit);
    return NULL;
}

RIGHT(a_thread_started_by_a_thread, "it knows what its starter waited for") { in_thread(start_another, kit); }

RIGHT(a_copy_between_devices_and_an_event, "an event orders streams of two devices", .two_devices = true)
{
    lab_stream *there = NULL;
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1)
    {
        DO(lab_stream_create(&there, LAB_STREAM_NON_BLOCKING));
        DO(lab_mem_alloc(&memory, BYTES));
    }
    DO(SET(kit->one, kit->a));
    DO(lab_event_record(kit->event, kit->one));
    DO(lab_stream_wait_event(there, kit->event));
    DO(lab_memcpy_peer_async(memory, 1, lab_array_data(kit->a), 0, BYTES, there));
    DO(lab_stream_synchronize(there));
    DO(lab_stream_destroy(there));
    DO(lab_mem_free(memory));
}

WRONG(a_copy_between_devices, "a stream of another device is another stream", .bytes = BYTES, .edge = BY_EVENT,
      .two_devices = true)
{
    lab_stream *there = NULL;
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1)
    {
        DO(lab_stream_create(&there, LAB_STREAM_NON_BLOCKING));
        DO(lab_mem_alloc(&memory, BYTES));
    }
    FIRST(SET(kit->one, kit->a));
    SECOND(lab_memcpy_peer_async(memory, 1, lab_array_data(kit->a), 0, BYTES, there));
    DO(lab_stream_synchronize(there));
    DO(lab_stream_destroy(there));
    DO(lab_mem_free(memory));
}

RIGHT(the_synchronous_copy_between_devices, "lab_memcpy_peer waits for both contexts", .two_devices = true)
{
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1) DO(lab_mem_alloc(&memory, BYTES));
    DO(SET(kit->one, kit->a));
    DO(lab_memcpy_peer(memory, 1, lab_array_data(kit->a), 0, BYTES));
    DO(SET(kit->two, kit->a));
    DO(lab_mem_free(memory));
}

WRONG(the_null_stream_of_another_context, "each context has its own null stream", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_context *context;
    FIRST(SET(kit->blocking, kit->a));
    DO(lab_context_create(&context, 0));
    lab_deviceptr memory;
    DO(lab_mem_alloc(&memory, BYTES));
    SECOND(lab_memcpy_dtod_async(memory, lab_array_data(kit->a), BYTES, lab_stream_null()));
    DO(lab_context_destroy(context));
}

WRONG(the_wrong_context_is_waited_for, "lab_device_synchronize waits for the current context alone", .bytes = BYTES,
      .edge = BY_WAIT)
{
    lab_context *context;
    FIRST(lab_array_get_async(kit->a, kit->pinned, kit->one));
    DO(lab_context_create(&context, 0));
    DO(lab_device_synchronize());
    SECOND(lab_host_reads(kit->pinned, BYTES));
    DO(lab_context_destroy(context));
}
