/*
 * The whole interface of a stream: its kind, priority, device and native handle; whether it is done; and its host
 * functions.
 *
 * A host function is called when everything before it is done, and everything after it waits for it. It must not call
 * the library. A stream that another library created is wrapped by its native handle, without being owned.
 */
#include "lab.h"

#include <stdatomic.h>
#include <stdio.h>

static const char *yes(bool answer) { return answer ? "yes" : "no"; }

static void say_called(void *user) { printf("host function, after what was before: %s\n", (const char *)user); }

static void say_callback(lab_stream *stream, lab_status status, void *user)
{
    printf("callback for %s stream: %s\n", stream == *(lab_stream **)user ? "its" : "another", lab_status_name(status));
}

/* Holds its stream until the host has finished its queries. */
static void wait_for(void *user)
{
    while (!atomic_load((atomic_bool *)user)) {}
}

int main(void)
{
    lab_stream *stream, *urgent, *wrapped;
    lab_event *event;
    atomic_bool asked = false;
    unsigned flags;
    int least, greatest, priority, device;
    void *native;
    bool equal;

    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_get_flags(&flags, stream));
    LAB_CHECK(lab_stream_get_device(&device, stream));
    printf("non-blocking: %s; of device %d\n", yes(flags == LAB_STREAM_NON_BLOCKING), device);

    LAB_CHECK(lab_stream_priority_range(&least, &greatest)); /* lower numbers are higher priorities */
    LAB_CHECK(lab_stream_create_with_priority(&urgent, LAB_STREAM_DEFAULT, greatest - 100));
    LAB_CHECK(lab_stream_get_priority(&priority, urgent));
    printf("a priority beyond the range is clamped: %s\n", yes(priority == greatest && greatest <= least));

    LAB_CHECK(lab_stream_native(&native, stream));
    LAB_CHECK(lab_stream_from_native(&wrapped, native));
    LAB_CHECK(lab_stream_is_equal(&equal, wrapped, stream));
    printf("wrapped, it is the same stream: %s\n", yes(equal));
    LAB_CHECK(lab_stream_is_equal(&equal, lab_stream_null(), lab_stream_per_thread()));
    printf("the null stream and the thread's default stream are one: %s\n", yes(equal));

    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_stream_launch_host_func(stream, wait_for, &asked));
    LAB_CHECK(lab_event_record(event, wrapped));
    printf("done while it is held: %s\n", yes(lab_stream_query(stream) == LAB_SUCCESS));
    LAB_CHECK(lab_stream_wait_event(urgent, event));
    LAB_CHECK(lab_stream_launch_host_func(urgent, say_called, "yes"));
    LAB_CHECK(lab_stream_add_callback(urgent, say_callback, &urgent));
    atomic_store(&asked, true);
    LAB_CHECK(lab_stream_synchronize(urgent));
    printf("done after that: %s\n", yes(lab_stream_query(stream) == LAB_SUCCESS));

    LAB_CHECK(lab_event_destroy(event));
    LAB_CHECK(lab_stream_destroy(wrapped)); /* destroys only the second handle */
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_stream_destroy(urgent));
    return 0;
}
