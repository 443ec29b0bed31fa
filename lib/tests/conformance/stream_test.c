/* Streams: order within one, independence of several, the null stream's rules (CUDA Driver API, "Stream synchronization
 * behavior", and cuda.h, "Stream Management"). */
#include "gate.h"
#include "test.h"

#include <string.h>

static lab_stream *make_stream(unsigned flags)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, flags));
    return stream;
}

/* cuda.h, Stream Management: cuStreamQuery, cuStreamGetId. */
Test(stream, query_of_an_idle_stream_succeeds)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_destroy(stream));
}

/* cuda.h, Stream Management: cuStreamQuery, cuStreamGetId. */
Test(stream, query_of_pending_work_is_not_ready_and_sets_no_message)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    gate_close_stream(&closed, stream);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    cr_assert_str_eq(lab_error_message(), "");
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_destroy(stream));
}

static void append_letter(void *user)
{
    char *text = user;
    size_t length = strlen(text);
    text[length] = (char)('a' + length);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(stream, operations_of_one_stream_run_in_the_order_they_were_enqueued)
{
    char text[32] = "";
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    for (int i = 0; i < 20; i++) LAB_CHECK(lab_stream_launch_host_func(stream, append_letter, text));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_str_eq(text, "abcdefghijklmnopqrst");
    LAB_CHECK(lab_stream_destroy(stream));
}

/* cuda.h, Execution Control: cuLaunchHostFunc. */
Test(stream, work_after_a_host_function_waits_for_its_return)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    float *pinned;
    lab_array *array;
    LAB_CHECK(lab_host_alloc((void **)&pinned, 2 * sizeof *pinned));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(1)));
    pinned[0] = 7, pinned[1] = 0;
    LAB_CHECK(lab_array_set_async(array, &pinned[0], stream));
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_array_get_async(array, &pinned[1], stream));
    cr_assert_eq(pinned[1], 0.0f);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(pinned[1], 7.0f);
    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_stream_destroy(stream));
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(stream, a_stream_does_not_wait_for_another)
{
    gate closed = GATE_CLOSED;
    lab_stream *held = make_stream(LAB_STREAM_DEFAULT), *free_stream = make_stream(LAB_STREAM_DEFAULT);
    gate_close_stream(&closed, held);
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_memset_async(memory, 1, 64, free_stream));
    LAB_CHECK(lab_stream_synchronize(free_stream));
    cr_assert_eq(lab_stream_query(held), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_stream_destroy(held));
    LAB_CHECK(lab_stream_destroy(free_stream));
}

/* Work on the second stream, enqueued while the first is held by a gate. */
typedef struct held_pair {
    gate closed;
    lab_deviceptr memory;
    lab_event *end; /* the end of the second stream's work */
} held_pair;

static void hold(held_pair *pair, lab_stream *second, lab_stream *first)
{
    *pair = (held_pair){.closed = GATE_CLOSED};
    LAB_CHECK(lab_mem_alloc(&pair->memory, 64));
    LAB_CHECK(lab_event_create(&pair->end, LAB_EVENT_DISABLE_TIMING));
    gate_close_stream(&pair->closed, first);
    LAB_CHECK(lab_memset_async(pair->memory, 1, 64, second));
    LAB_CHECK(lab_event_record(pair->end, second));
}

static void let_go(held_pair *pair)
{
    gate_open(&pair->closed);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_event_destroy(pair->end));
    LAB_CHECK(lab_mem_free(pair->memory));
}

/* Whether the second stream's work stays pending, in repeated queries, while the first stream is held. */
static bool waits_for(lab_stream *second, lab_stream *first)
{
    held_pair pair;
    hold(&pair, second, first);
    bool waits = true;
    for (int look = 0; waits && look < 20000; look++) waits = lab_event_query(pair.end) == LAB_ERROR_NOT_READY;
    let_go(&pair);
    return waits;
}

/* Whether the second stream's work ends while the first stream is held; if not, this never returns, and the test times
 * out. */
static bool ends_without(lab_stream *second, lab_stream *first)
{
    held_pair pair;
    hold(&pair, second, first);
    bool ended = lab_event_synchronize(pair.end) == LAB_SUCCESS;
    let_go(&pair);
    return ended;
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, null_stream_waits_for_a_blocking_stream)
{
    cr_assert(waits_for(lab_stream_null(), make_stream(LAB_STREAM_DEFAULT)));
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, blocking_stream_waits_for_the_null_stream)
{
    cr_assert(waits_for(make_stream(LAB_STREAM_DEFAULT), lab_stream_null()));
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, null_stream_does_not_wait_for_a_non_blocking_stream)
{
    cr_assert(ends_without(lab_stream_null(), make_stream(LAB_STREAM_NON_BLOCKING)));
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, non_blocking_stream_does_not_wait_for_the_null_stream)
{
    cr_assert(ends_without(make_stream(LAB_STREAM_NON_BLOCKING), lab_stream_null()));
}

/* CUDA Driver API, Stream synchronization behavior: per-thread default stream. */
Test(stream, per_thread_default_stream_is_blocking)
{
    cr_assert(waits_for(lab_stream_null(), lab_stream_per_thread()));
    cr_assert(waits_for(lab_stream_per_thread(), lab_stream_null()));
}

/* CUDA Driver API, Stream synchronization behavior: per-thread default stream. */
Test(stream, per_thread_default_stream_does_not_wait_for_another_blocking_stream)
{
    cr_assert(ends_without(lab_stream_per_thread(), make_stream(LAB_STREAM_DEFAULT)));
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, null_stream_orders_work_before_and_after_it_across_blocking_streams)
{
    gate closed = GATE_CLOSED;
    lab_stream *first = make_stream(LAB_STREAM_DEFAULT), *last = make_stream(LAB_STREAM_DEFAULT);
    char text[8] = "";
    gate_close_stream(&closed, first);
    LAB_CHECK(lab_stream_launch_host_func(first, append_letter, text));
    LAB_CHECK(lab_stream_launch_host_func(lab_stream_null(), append_letter, text));
    LAB_CHECK(lab_stream_launch_host_func(last, append_letter, text));
    cr_assert_eq(lab_stream_query(last), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(last));
    cr_assert_str_eq(text, "abc");
}

/* cuda.h, Stream Management: cuStreamSynchronize. */
Test(stream, synchronizing_the_null_stream_waits_for_blocking_streams)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    char text[8] = "";
    LAB_CHECK(lab_stream_launch_host_func(stream, append_letter, text));
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    cr_assert_str_eq(text, "a");
}

/* cuda.h, Context Management: cuCtxSynchronize. */
Test(stream, device_synchronize_waits_for_non_blocking_streams_too)
{
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    char text[8] = "";
    LAB_CHECK(lab_stream_launch_host_func(stream, append_letter, text));
    LAB_CHECK(lab_device_synchronize());
    cr_assert_str_eq(text, "a");
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(stream, destroying_a_stream_lets_its_pending_work_finish)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    char text[8] = "";
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_stream_launch_host_func(stream, append_letter, text));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_str_eq(text, "");
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
    cr_assert_str_eq(text, "a");
}

/* CUDA Driver API, Stream synchronization behavior: legacy default stream. */
Test(stream, null_stream_waits_for_work_of_a_destroyed_blocking_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    char text[8] = "";
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_stream_launch_host_func(stream, append_letter, text));
    LAB_CHECK(lab_stream_destroy(stream));
    LAB_CHECK(lab_stream_launch_host_func(lab_stream_null(), append_letter, text));
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    cr_assert_str_eq(text, "ab");
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(stream, using_a_destroyed_stream_is_an_invalid_handle)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_synchronize(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "destroyed"), "%s", lab_error_message());
    cr_assert_eq(lab_stream_destroy(stream), LAB_ERROR_INVALID_HANDLE);
}

/* CUDA C++ Programming Guide, Streams: in order within one, none between two. */
Test(stream, a_new_stream_is_not_mistaken_for_a_destroyed_one)
{
    lab_stream *before = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_destroy(before));
    lab_stream *after = make_stream(LAB_STREAM_DEFAULT);
    cr_assert_neq(before, after);
    cr_assert_eq(lab_stream_query(before), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(after), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamGetId. */
Test(stream, ids_are_never_used_again)
{
    uint64_t first, second;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_get_id(&first, stream));
    LAB_CHECK(lab_stream_destroy(stream));
    stream = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_get_id(&second, stream));
    cr_assert_neq(first, second);
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(stream, null_stream_cannot_be_destroyed)
{
    cr_assert_eq(lab_stream_destroy(lab_stream_null()), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(stream, destroying_no_stream_succeeds) { cr_assert_eq(lab_stream_destroy(NULL), LAB_SUCCESS); }

/* cuda.h, Stream Management: cuStreamCreate. */
Test(stream, unknown_flags_are_refused)
{
    lab_stream *stream = lab_stream_null();
    cr_assert_eq(lab_stream_create(&stream, 4), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(stream);
    cr_assert_eq(lab_stream_create(NULL, 0), LAB_ERROR_INVALID_VALUE);
}

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, current_stream_is_the_null_stream_at_first) { cr_assert_eq(lab_stream_current(), lab_stream_null()); }

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, use_makes_a_stream_current_until_the_next_use)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_use(stream));
    cr_assert_eq(lab_stream_current(), stream);
    LAB_CHECK(lab_stream_use(lab_stream_null()));
    cr_assert_eq(lab_stream_current(), lab_stream_null());
}

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, null_argument_means_the_current_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING);
    LAB_CHECK(lab_stream_use(stream));
    gate_close_stream(&closed, NULL);
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_SUCCESS);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(NULL));
}

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, a_destroyed_current_stream_is_named_in_the_message)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT);
    LAB_CHECK(lab_stream_use(stream));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "current stream was destroyed"), "%s", lab_error_message());
    LAB_CHECK(lab_stream_use(lab_stream_null()));
}

static lab_stream *leave_by_return(lab_stream *stream)
{
    LAB_WITH_STREAM(stream) { return lab_stream_current(); }
    return NULL;
}

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, scope_restores_the_current_stream_on_every_way_out)
{
    lab_stream *outer = make_stream(LAB_STREAM_DEFAULT), *inner = make_stream(LAB_STREAM_DEFAULT);
    LAB_WITH_STREAM(outer)
    {
        cr_assert_eq(lab_stream_current(), outer);
        LAB_WITH_STREAM(inner) cr_assert_eq(lab_stream_current(), inner);
        cr_assert_eq(lab_stream_current(), outer);
        cr_assert_eq(leave_by_return(inner), inner);
        cr_assert_eq(lab_stream_current(), outer);
        LAB_WITH_STREAM(inner) break;
        cr_assert_eq(lab_stream_current(), outer);
    }
    cr_assert_eq(lab_stream_current(), lab_stream_null());
}

static void *current_of_a_new_thread(void *user)
{
    *(lab_stream **)user = lab_stream_current();
    return NULL;
}

/* CuPy, Stream: use, with, get_current_stream. */
Test(stream, current_stream_belongs_to_the_thread)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT), *of_thread = NULL;
    LAB_CHECK(lab_stream_use(stream));
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, current_of_a_new_thread, &of_thread), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(of_thread, lab_stream_null());
}

static void *per_thread_of_a_new_thread(void *user)
{
    *(lab_stream **)user = lab_stream_per_thread();
    return NULL;
}

/* CUDA Driver API, Stream synchronization behavior: per-thread default stream. */
Test(stream, each_thread_has_its_own_default_stream_which_ends_with_it)
{
    lab_stream *of_thread = NULL;
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, per_thread_of_a_new_thread, &of_thread), 0);
    pthread_join(thread, NULL);
    cr_assert_neq(of_thread, lab_stream_per_thread());
    cr_assert_eq(lab_stream_per_thread(), lab_stream_per_thread());
    cr_assert_eq(lab_stream_query(of_thread), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Execution Control: cuLaunchHostFunc. */
Test(stream, host_function_needs_a_function)
{
    cr_assert_eq(lab_stream_launch_host_func(NULL, NULL, NULL), LAB_ERROR_INVALID_VALUE);
}
