/* The catalogue: several host threads, contexts and devices. */
#include "catalogue.h"

static void in_thread(void *(*body)(void *on), ground *on)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, body, on), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

static void *set_on_one(void *ground_of_it)
{
    ground *on = ground_of_it;
    FIRST(SET(on->one, on->a));
    return NULL;
}

static void *set_on_one_and_wait(void *ground_of_it)
{
    ground *on = ground_of_it;
    DO(SET(on->one, on->a));
    DO(lab_stream_synchronize(on->one));
    return NULL;
}

WRONG(a_thread_that_does_not_wait, "joining a thread is not waiting for its stream", .bytes = BYTES, .edge = BY_EVENT)
{
    in_thread(set_on_one, on);
    SECOND(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(a_thread_that_waits_and_is_joined, "what the thread waited for is known to who joined it")
{
    in_thread(set_on_one_and_wait, on);
    DO(DUPLICATE(on->two, on->b, on->a));
}

RIGHT(threads_one_after_another, "the next thread is started after the last one was joined")
{
    for (int i = 0; i < 3; i++) in_thread(set_on_one_and_wait, on);
    DO(INCREASE(on->three, on->a));
}

static void *duplicate_on_two(void *ground_of_it)
{
    ground *on = ground_of_it;
    DO(DUPLICATE(on->two, on->b, on->a));
    return NULL;
}

RIGHT(work_done_before_a_thread_starts, "a new thread knows what the one before it waited for")
{
    DO(SET(on->one, on->a));
    DO(lab_stream_synchronize(on->one));
    in_thread(duplicate_on_two, on);
}

RIGHT(two_threads_on_one_stream, "a stream has one order, whoever enqueues")
{
    DO(INCREASE(on->one, on->a));
    in_thread(set_on_one, on);
    DO(INCREASE(on->one, on->a));
}

RIGHT(an_event_between_threads, "an event recorded by one thread and waited for by another")
{
    in_thread(set_on_one, on);
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(on->two, on->event));
    in_thread(duplicate_on_two, on);
}

static pthread_barrier_t meeting;

static void *wait_and_meet(void *ground_of_it)
{
    ground *on = ground_of_it;
    FIRST(SET(on->one, on->a));
    DO(lab_stream_synchronize(on->one));
    lab_host_release(&meeting);
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    return NULL;
}

static void meet(ground *on, bool tells)
{
    pthread_t thread;
    pthread_barrier_init(&meeting, NULL, 2);
    cr_assert_eq(pthread_create(&thread, NULL, wait_and_meet, on), 0);
    pthread_barrier_wait(&meeting);
    if (tells) lab_host_acquire(&meeting);
    SECOND(DUPLICATE(on->two, on->b, on->a));
    pthread_barrier_wait(&meeting);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&meeting);
}

RIGHT(threads_that_hand_over, "the one released, the other acquired") { meet(on, true); }

WRONG(threads_that_do_not_hand_over, "another thread's wait is not this one's", .bytes = BYTES, .edge = BY_EVENT)
{
    meet(on, false);
}

/* The first calls with the checker of a thread whose sibling has waited for its own stream by then. */
static void *meet_and_duplicate(void *ground_of_it)
{
    ground *on = ground_of_it;
    pthread_barrier_wait(&meeting);
    SECOND(DUPLICATE(on->two, on->b, on->a));
    pthread_barrier_wait(&meeting);
    return NULL;
}

static void *set_and_meet(void *ground_of_it)
{
    ground *on = ground_of_it;
    FIRST(SET(on->one, on->a));
    DO(lab_stream_synchronize(on->one));
    pthread_barrier_wait(&meeting);
    pthread_barrier_wait(&meeting);
    return NULL;
}

WRONG(two_threads_on_one_array, "each waits for its own stream, and that the one did so first is luck", .bytes = BYTES,
      .edge = BY_EVENT)
{
    pthread_t thread[2];
    pthread_barrier_init(&meeting, NULL, 2);
    cr_assert_eq(pthread_create(&thread[0], NULL, set_and_meet, on), 0);
    cr_assert_eq(pthread_create(&thread[1], NULL, meet_and_duplicate, on), 0);
    for (int i = 0; i < 2; i++) cr_assert_eq(pthread_join(thread[i], NULL), 0);
    pthread_barrier_destroy(&meeting);
}

static void *start_another(void *ground_of_it)
{
    ground *on = ground_of_it;
    DO(SET(on->one, on->a));
    DO(lab_stream_synchronize(on->one));
    in_thread(duplicate_on_two, on);
    return NULL;
}

RIGHT(a_thread_started_by_a_thread, "it knows what its starter waited for") { in_thread(start_another, on); }

RIGHT(a_copy_between_devices_and_an_event, "an event orders streams of two devices", .two_devices = true)
{
    lab_stream *there = NULL;
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1)
    {
        DO(lab_stream_create(&there, LAB_STREAM_NON_BLOCKING));
        DO(lab_mem_alloc(&memory, BYTES));
    }
    DO(SET(on->one, on->a));
    DO(lab_event_record(on->event, on->one));
    DO(lab_stream_wait_event(there, on->event));
    DO(lab_memcpy_peer_async(memory, 1, lab_array_data(on->a), 0, BYTES, there));
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
    FIRST(SET(on->one, on->a));
    SECOND(lab_memcpy_peer_async(memory, 1, lab_array_data(on->a), 0, BYTES, there));
    DO(lab_stream_synchronize(there));
    DO(lab_stream_destroy(there));
    DO(lab_mem_free(memory));
}

RIGHT(the_synchronous_copy_between_devices, "lab_memcpy_peer waits for both contexts", .two_devices = true)
{
    lab_deviceptr memory = 0;
    LAB_WITH_DEVICE(1) DO(lab_mem_alloc(&memory, BYTES));
    DO(SET(on->one, on->a));
    DO(lab_memcpy_peer(memory, 1, lab_array_data(on->a), 0, BYTES));
    DO(SET(on->two, on->a));
    DO(lab_mem_free(memory));
}

WRONG(the_null_stream_of_another_context, "each context has a null stream of its own", .bytes = BYTES, .edge = BY_EVENT)
{
    lab_context *context;
    FIRST(SET(on->blocking, on->a));
    DO(lab_context_create(&context, 0));
    lab_deviceptr memory;
    DO(lab_mem_alloc(&memory, BYTES));
    SECOND(lab_memcpy_dtod_async(memory, lab_array_data(on->a), BYTES, lab_stream_null()));
    DO(lab_context_destroy(context));
}

WRONG(the_wrong_context_is_waited_for, "lab_device_synchronize waits for the current context alone", .bytes = BYTES,
      .edge = BY_WAIT)
{
    lab_context *context;
    FIRST(lab_array_get_async(on->a, on->pinned, on->one));
    DO(lab_context_create(&context, 0));
    DO(lab_device_synchronize());
    SECOND(lab_host_reads(on->pinned, BYTES));
    DO(lab_context_destroy(context));
}
