/* lab_trace_find_wait tells a signal handler what the interrupted call of its thread waits for. */
#include "conformance/gate.h"
#include "lab_trace.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

static lab_trace_wait told; /* complete, and not written again, once is_told is set */
static const char *expected;
static atomic_bool is_told;

static void ask(int number)
{
    (void)number;
    if (!atomic_load(&is_told) && lab_trace_find_wait(&told) && strstr(told.text, expected))
        atomic_store(&is_told, true);
}

static int called_at;

static void *synchronize(void *stream)
{
    called_at = __LINE__ + 1;
    LAB_CHECK(lab_stream_synchronize(stream));
    return NULL;
}

/* Asks the thread until it is in a call whose text contains the words. */
static void ask_until_told(pthread_t thread, const char *words)
{
    struct sigaction action = {.sa_handler = ask, .sa_flags = SA_RESTART};
    expected = words;
    sigaction(SIGUSR1, &action, NULL);
    while (!atomic_load(&is_told)) {
        cr_assert_eq(pthread_kill(thread, SIGUSR1), 0);
        sched_yield();
    }
}

/* The first stream is held; the second waits for an event behind the held work. */
Test(waiting, text_of_a_call_names_the_streams_that_wait_for_each_other)
{
    gate closed = GATE_CLOSED;
    lab_stream *held, *waiting;
    lab_event *event;
    pthread_t thread;
    LAB_CHECK(lab_stream_create(&held, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&waiting, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_trace_begin());
    gate_close_stream(&closed, held);
    LAB_CHECK(lab_event_record(event, held));
    LAB_CHECK(lab_stream_wait_event(waiting, event));
    cr_assert_eq(pthread_create(&thread, NULL, synchronize, waiting), 0);

    ask_until_told(thread, " has begun and not ended");
    cr_assert(told.own);
    cr_assert_eq(told.kind, LAB_OP_STREAM_SYNC);
    cr_assert_eq(told.line, called_at);
    const char *second = strstr(told.text, ", where the event wait of "),
               *third = strstr(told.text, " waits for stream ");
    cr_assert(second && third && second < third, "%s", told.text);
    cr_assert_not_null(strstr(third, ", where the host function of "), "%s", told.text);

    gate_open(&closed);
    pthread_join(thread, NULL);
    lab_trace *trace;
    LAB_CHECK(lab_trace_end(&trace));
    lab_trace_free(trace);
    LAB_CHECK(lab_event_destroy(event));
    LAB_CHECK(lab_stream_destroy(held));
    LAB_CHECK(lab_stream_destroy(waiting));
}

Test(waiting, nothing_is_told_without_a_record_or_a_call_under_way)
{
    lab_trace_wait wait;
    lab_trace *trace;
    cr_assert_not(lab_trace_find_wait(&wait), "no record is running");
    LAB_CHECK(lab_trace_begin());
    LAB_CHECK(lab_device_synchronize());
    cr_assert_not(lab_trace_find_wait(&wait), "no call is under way");
    cr_assert_not(lab_trace_find_wait(NULL));
    LAB_CHECK(lab_trace_end(&trace));
    lab_trace_free(trace);
}
