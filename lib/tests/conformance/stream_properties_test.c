/* Queries of a stream: priority, flags, device, native handle, equality; and callbacks (cuda.h, "Stream Management";
 * CuPy's Stream). */
#include "gate.h"
#include "schedules.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static lab_stream *make_stream(unsigned flags, int priority)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create_with_priority(&stream, flags, priority));
    return stream;
}

static int priority_of(lab_stream *stream)
{
    int priority = 1000;
    LAB_CHECK(lab_stream_get_priority(&priority, stream));
    return priority;
}

static unsigned flags_of(lab_stream *stream)
{
    unsigned flags = 1000;
    LAB_CHECK(lab_stream_get_flags(&flags, stream));
    return flags;
}

/* cuda.h, Context Management: cuCtxGetStreamPriorityRange. */
Test(stream, the_greatest_priority_is_the_lowest_number)
{
    int least, greatest;
    LAB_CHECK(lab_stream_priority_range(&least, &greatest));
    cr_assert_leq(greatest, least);
    cr_assert_eq(least, 0);
}

/* cuda.h, Stream Management: cuStreamCreateWithPriority. */
Test(stream, a_priority_within_the_range_is_kept)
{
    int least, greatest;
    LAB_CHECK(lab_stream_priority_range(&least, &greatest));
    for (int priority = greatest; priority <= least; priority++)
        cr_assert_eq(priority_of(make_stream(LAB_STREAM_NON_BLOCKING, priority)), priority);
}

/* cuda.h, Stream Management: cuStreamCreateWithPriority. */
Test(stream, a_priority_outside_the_range_is_clamped)
{
    int least, greatest;
    LAB_CHECK(lab_stream_priority_range(&least, &greatest));
    cr_assert_eq(priority_of(make_stream(LAB_STREAM_DEFAULT, 1 << 30)), least);
    cr_assert_eq(priority_of(make_stream(LAB_STREAM_DEFAULT, -(1 << 30))), greatest);
}

/* cuda.h, Stream Management: cuStreamCreateWithPriority. */
Test(stream, the_default_priority_is_0)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    cr_assert_eq(priority_of(stream), 0);
    cr_assert_eq(priority_of(lab_stream_null()), 0);
}

/* cuda.h, Stream Management: cuStreamGetFlags. */
Test(stream, flags_are_those_it_was_made_with)
{
    cr_assert_eq(flags_of(make_stream(LAB_STREAM_DEFAULT, 0)), (unsigned)LAB_STREAM_DEFAULT);
    cr_assert_eq(flags_of(make_stream(LAB_STREAM_NON_BLOCKING, 0)), (unsigned)LAB_STREAM_NON_BLOCKING);
    cr_assert_eq(flags_of(lab_stream_null()), (unsigned)LAB_STREAM_DEFAULT);
    cr_assert_eq(flags_of(lab_stream_per_thread()), (unsigned)LAB_STREAM_DEFAULT);
}

/* cuda.h, Stream Management: cuStreamCreateWithPriority. */
Test(stream, unknown_flags_with_a_priority_are_refused)
{
    lab_stream *stream = lab_stream_null();
    cr_assert_eq(lab_stream_create_with_priority(&stream, 2, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(stream);
    cr_assert_not_null(strstr(lab_error_message(), "lab_stream_create_with_priority"), "%s", lab_error_message());
}

/* Kernels of one block each, which record the order in which they ran. */
static const char order_source[] = "extern \"C\" __global__ void note(int *next, int *place) { *place = (*next)++; }\n";

/* On one multiprocessor kernels run one after another, and the priority decides which ready kernel is first. On a GPU
 * the priority is only a hint, and this test would prove nothing. */
/* cuda.h, Stream Management: cuStreamCreateWithPriority. */
Test(stream, ready_kernels_of_the_higher_priority_start_first_on_a_cpu_device)
{
    setenv("LAB_CPU_MULTIPROCESSORS", "1", 1);
    races_on_purpose();
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    if (strcmp(info.kind, "cpu") != 0 || runs_one_at_a_time()) return;
    gate closed = GATE_CLOSED;
    lab_module *module;
    lab_function note;
    lab_array *counters;
    lab_event *ready;
    int host[4] = {0};
    LAB_CHECK(lab_module_load_source(&module, order_source, NULL));
    LAB_CHECK(lab_module_get_function(&note, module, "note"));
    LAB_CHECK(lab_array_empty(&counters, LAB_INT32, LAB_SHAPE(4)));
    LAB_CHECK(lab_array_set(counters, host));
    LAB_CHECK(lab_device_synchronize()); /* the copy from pageable memory may still be running */
    lab_stream *holder = make_stream(LAB_STREAM_NON_BLOCKING, 0);
    gate_close_stream(&closed, holder);
    LAB_CHECK(lab_event_create(&ready, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_record(ready, holder));
    const int priority[] = {0, -1, -5};
    lab_deviceptr next = lab_array_data(counters);
    for (int i = 0; i < 3; i++) {
        lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING, priority[i]);
        LAB_CHECK(lab_stream_wait_event(stream, ready));
        LAB_CHECK(
            lab_launch(note, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(next, next + 4 * (lab_deviceptr)(i + 1))));
    }
    gate_open(&closed);
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_array_get(counters, host));
    cr_assert_eq(host[0], 3);
    cr_assert_eq(host[3], 0, "the highest priority is first");
    cr_assert_eq(host[2], 1);
    cr_assert_eq(host[1], 2, "the lowest is last, though enqueued first");
}

/* CuPy, Stream: __eq__. */
Test(stream, equal_is_the_same_stream)
{
    bool equal;
    lab_stream *one = make_stream(LAB_STREAM_DEFAULT, 0), *other = make_stream(LAB_STREAM_DEFAULT, 0);
    LAB_CHECK(lab_stream_is_equal(&equal, one, one));
    cr_assert(equal);
    LAB_CHECK(lab_stream_is_equal(&equal, one, other));
    cr_assert_not(equal);
    LAB_CHECK(lab_stream_is_equal(&equal, NULL, lab_stream_null()));
    cr_assert(equal);
    LAB_WITH_STREAM(one) LAB_CHECK(lab_stream_is_equal(&equal, NULL, one));
    cr_assert(equal);
}

static lab_stream *wrap(lab_stream *stream)
{
    void *native;
    lab_stream *wrapped;
    LAB_CHECK(lab_stream_native(&native, stream));
    LAB_CHECK(lab_stream_from_native(&wrapped, native));
    return wrapped;
}

/* CuPy, Stream: from_external, ptr. */
Test(stream, a_wrapped_native_handle_is_the_stream_itself)
{
    gate closed = GATE_CLOSED;
    bool equal;
    uint64_t id, id_of_wrapped;
    lab_stream *stream = make_stream(LAB_STREAM_NON_BLOCKING, -1), *wrapped = wrap(stream);
    cr_assert_neq(stream, wrapped);
    LAB_CHECK(lab_stream_is_equal(&equal, stream, wrapped));
    cr_assert(equal);
    LAB_CHECK(lab_stream_get_id(&id, stream));
    LAB_CHECK(lab_stream_get_id(&id_of_wrapped, wrapped));
    cr_assert_eq(id, id_of_wrapped);
    cr_assert_eq(flags_of(wrapped), (unsigned)LAB_STREAM_NON_BLOCKING);
    cr_assert_eq(priority_of(wrapped), priority_of(stream));
    gate_close_stream(&closed, stream);
    cr_assert_eq(lab_stream_query(wrapped), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_WITH_STREAM(wrapped) LAB_CHECK(lab_stream_synchronize(NULL));
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
}

/* CuPy, Stream: from_external, ptr. */
Test(stream, a_wrapped_stream_is_not_owned)
{
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT, 0), *wrapped = wrap(stream);
    LAB_CHECK(lab_stream_destroy(wrapped));
    cr_assert_eq(lab_stream_query(wrapped), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
    wrapped = wrap(stream);
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_query(wrapped), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_destroy(wrapped), LAB_SUCCESS);
}

/* CuPy, Stream: from_external, ptr. */
Test(stream, the_null_stream_can_be_wrapped)
{
    bool equal;
    lab_stream *wrapped = wrap(lab_stream_null());
    LAB_CHECK(lab_stream_is_equal(&equal, wrapped, lab_stream_null()));
    cr_assert(equal);
    LAB_CHECK(lab_stream_destroy(wrapped));
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_SUCCESS);
}

/* CuPy, Stream: from_external, ptr. */
Test(stream, an_invalid_native_handle_is_not_wrapped)
{
    int nothing;
    void *native;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT, 0), *wrapped;
    lab_device_info info;
    LAB_CHECK(lab_device_get_info(&info, 0));
    if (strcmp(info.kind, "cpu") != 0) return; /* a GPU's driver cannot tell */
    LAB_CHECK(lab_stream_native(&native, stream));
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_from_native(&wrapped, &nothing), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_from_native(&wrapped, native), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(wrapped);
}

typedef struct callback_record {
    lab_stream *stream;
    lab_status status, call_inside;
    int order;
} callback_record;

static void note_callback(lab_stream *stream, lab_status status, void *user)
{
    callback_record *record = user;
    record->stream = stream;
    record->status = status;
    record->order++;
    record->call_inside = lab_stream_synchronize(NULL);
}

/* cuda.h, Stream Management: cuStreamAddCallback. */
Test(stream, a_callback_gets_stream_status_and_user)
{
    gate closed = GATE_CLOSED;
    callback_record record = {.status = LAB_ERROR_UNKNOWN};
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT, 0);
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_stream_add_callback(stream, note_callback, &record));
    cr_assert_eq(record.order, 0);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(record.order, 1);
    cr_assert_eq(record.stream, stream);
    cr_assert_eq(record.status, LAB_SUCCESS);
    cr_assert_eq(record.call_inside, LAB_ERROR_NOT_PERMITTED);
}

/* cuda.h, Stream Management: cuStreamQuery, cuStreamGetId. */
Test(stream, queries_need_somewhere_to_go_and_a_stream)
{
    int number;
    unsigned flags;
    void *native;
    bool equal;
    lab_context *context;
    lab_stream *stream = make_stream(LAB_STREAM_DEFAULT, 0);
    cr_assert_eq(lab_stream_get_priority(NULL, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_get_flags(NULL, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_native(NULL, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_from_native(NULL, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_is_equal(NULL, stream, stream), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_priority_range(NULL, &number), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_priority_range(&number, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_create_with_priority(NULL, 0, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_add_callback(stream, NULL, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_stream_destroy(stream));
    cr_assert_eq(lab_stream_get_priority(&number, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_get_flags(&flags, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_get_device(&number, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_get_context(&context, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_native(&native, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_is_equal(&equal, lab_stream_null(), stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_use(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_add_callback(stream, note_callback, NULL), LAB_ERROR_INVALID_HANDLE);
}

static void *destroy_stream(void *user)
{
    lab_stream **stream = user;
    return lab_stream_destroy(*stream) == LAB_SUCCESS ? user : NULL;
}

/* cuda.h, Stream Management: cuStreamDestroy. */
Test(stream, of_two_threads_that_destroy_one_stream_one_succeeds)
{
    for (int round = 0; round < 50; round++) {
        lab_stream *stream = make_stream(LAB_STREAM_DEFAULT, 0);
        pthread_t thread;
        void *other;
        cr_assert_eq(pthread_create(&thread, NULL, destroy_stream, &stream), 0);
        bool mine = destroy_stream(&stream) != NULL;
        pthread_join(thread, &other);
        cr_assert_neq(mine, other != NULL);
    }
}
