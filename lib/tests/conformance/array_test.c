/* Arrays: shape and size, whole copies in and out, and destroyed arrays. */
#include "gate.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static lab_array *make_array(lab_shape shape)
{
    lab_array *array;
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, shape));
    return array;
}

static lab_stream *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    return stream;
}

/* CuPy, ndarray: dtype, shape, size, nbytes, data. */
Test(array, knows_its_type_shape_and_size)
{
    lab_array *array = make_array(LAB_SHAPE(3, 5, 7));
    lab_shape shape = lab_array_shape(array);
    cr_assert_eq(shape.dimensions, 3);
    cr_assert(shape.size[0] == 3 && shape.size[1] == 5 && shape.size[2] == 7);
    cr_assert_eq(lab_array_count(array), 105);
    cr_assert_eq(lab_array_bytes(array), 420);
    cr_assert_eq(lab_array_dtype(array), LAB_FLOAT32);
    cr_assert_neq(lab_array_data(array), 0);
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, ndarray: dtype, shape, size, nbytes, data. */
Test(array, data_is_device_memory_of_its_bytes)
{
    float host[4] = {1, 2, 3, 4}, back[4] = {0};
    lab_array *array = make_array(LAB_SHAPE(4));
    LAB_CHECK(lab_memcpy_htod(lab_array_data(array), host, sizeof host));
    LAB_CHECK(lab_array_get(array, back));
    cr_assert_eq(memcmp(host, back, sizeof host), 0);
    cr_assert_eq(lab_memcpy_htod(lab_array_data(array), host, sizeof host + 1), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, ndarray: set, get. */
Test(array, set_and_get_keep_every_bit)
{
    static const float special[] = {0.0f, -0.0f, 1e-45f, -3.5f, INFINITY, -INFINITY, 3.4028235e38f};
    uint32_t sent[9], received[9] = {0};
    memcpy(sent, special, sizeof special);
    sent[7] = 0x7fc00001;
    sent[8] = 0xffa00001;
    lab_array *array = make_array(LAB_SHAPE(9));
    LAB_CHECK(lab_array_set(array, sent));
    LAB_CHECK(lab_array_get(array, received));
    cr_assert_eq(memcmp(sent, received, sizeof sent), 0);
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, ndarray: dtype, shape, size, nbytes, data. */
Test(array, arrays_do_not_share_memory)
{
    enum { COUNT = 1000 };
    static float a[COUNT], b[COUNT], back[COUNT];
    for (int i = 0; i < COUNT; i++) a[i] = (float)i, b[i] = (float)(COUNT + i);
    lab_array *first = make_array(LAB_SHAPE(COUNT)), *second = make_array(LAB_SHAPE(COUNT));
    LAB_CHECK(lab_array_set(first, a));
    LAB_CHECK(lab_array_set(second, b));
    LAB_CHECK(lab_array_get(first, back));
    cr_assert_eq(memcmp(back, a, sizeof a), 0);
    LAB_CHECK(lab_array_get(second, back));
    cr_assert_eq(memcmp(back, b, sizeof b), 0);
    LAB_CHECK(lab_array_destroy(first));
    LAB_CHECK(lab_array_destroy(second));
}

/* CuPy, ndarray: set, get. */
Test(array, async_copies_of_pinned_memory_follow_the_stream_and_do_not_hold_the_host)
{
    enum { COUNT = 300000 };
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    lab_array *array = make_array(LAB_SHAPE(COUNT));
    float *pinned;
    LAB_CHECK(lab_host_alloc((void **)&pinned, 2 * COUNT * sizeof *pinned));
    for (int i = 0; i < COUNT; i++) pinned[i] = (float)i;
    pinned[2 * COUNT - 1] = -1;
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_array_set_async(array, pinned, stream));
    LAB_CHECK(lab_array_get_async(array, pinned + COUNT, stream));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY);
    cr_assert_eq(pinned[2 * COUNT - 1], -1.0f);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(memcmp(pinned, pinned + COUNT, COUNT * sizeof *pinned), 0);
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_array_destroy(array));
}

/* CuPy, ndarray: set, get. */
Test(array, null_stream_argument_of_an_async_copy_means_the_current_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    lab_array *array = make_array(LAB_SHAPE(1));
    float *pinned;
    LAB_CHECK(lab_host_alloc((void **)&pinned, sizeof *pinned));
    *pinned = 5;
    gate_close_stream(&closed, stream);
    LAB_WITH_STREAM(stream) LAB_CHECK(lab_array_set_async(array, pinned, NULL));
    lab_event *set;
    LAB_CHECK(lab_event_create(&set, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_record(set, stream));
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_SUCCESS);
    cr_assert_eq(lab_event_query(set), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stream));
    *pinned = 0;
    LAB_CHECK(lab_array_get(array, pinned));
    cr_assert_eq(*pinned, 5.0f);
}

/* CuPy, ndarray: dtype, shape, size, nbytes, data. */
Test(array, without_elements_has_no_memory_and_copies_nothing)
{
    static const size_t empty[][2] = {{0, 5}, {5, 0}, {0, 0}, {0, SIZE_MAX}, {SIZE_MAX, 0}};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        lab_array *array = NULL;
        cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(empty[i][0], empty[i][1])), LAB_SUCCESS,
                     "shape %zu x %zu: %s", empty[i][0], empty[i][1], lab_error_message());
        cr_assert_not_null(array);
        cr_assert_eq(lab_array_count(array), 0);
        cr_assert_eq(lab_array_bytes(array), 0);
        cr_assert_eq(lab_array_data(array), 0);
        cr_assert_eq(lab_array_set(array, NULL), LAB_SUCCESS);
        cr_assert_eq(lab_array_get(array, NULL), LAB_SUCCESS);
        cr_assert_eq(lab_array_set_async(array, NULL, NULL), LAB_SUCCESS);
        cr_assert_eq(lab_array_get_async(array, NULL, NULL), LAB_SUCCESS);
        cr_assert_eq(lab_array_destroy(array), LAB_SUCCESS);
    }
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, malformed_shapes_are_refused)
{
    lab_array *array;
    static const int dimensions[] = {0, -1, LAB_MAX_DIMENSIONS + 1, 1 << 30};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        lab_shape shape = {.dimensions = dimensions[i], .size = {1, 1, 1, 1}};
        array = (lab_array *)&shape;
        cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, shape), LAB_ERROR_INVALID_VALUE, "%d dimensions",
                     dimensions[i]);
        cr_assert_null(array);
    }
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, shapes_whose_bytes_overflow_are_refused)
{
    static const size_t too_many[][4] = {
        {SIZE_MAX, 1, 1, 1},
        {SIZE_MAX / 4 + 1, 1, 1, 1},
        {SIZE_MAX / 2, 2, 1, 1},
        {1, 1, 1, SIZE_MAX},
        {(size_t)1 << 32, (size_t)1 << 32, 1, 1},
        {65536, 65536, 65536, 65536},
    };
    for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
        lab_array *array;
        lab_shape shape = {4, {too_many[i][0], too_many[i][1], too_many[i][2], too_many[i][3]}};
        cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, shape), LAB_ERROR_INVALID_VALUE, "shape %zu", i);
        cr_assert_null(array);
    }
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, larger_than_the_device_is_out_of_memory)
{
    lab_array *array;
    cr_assert_eq(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(SIZE_MAX / 8)), LAB_ERROR_OUT_OF_MEMORY);
    cr_assert_null(array);
    LAB_CHECK(lab_array_destroy(make_array(LAB_SHAPE(1))));
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, unknown_types_are_refused)
{
    lab_array *array;
    cr_assert_eq(lab_array_empty(&array, (lab_dtype)0, LAB_SHAPE(4)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_empty(&array, (lab_dtype)999, LAB_SHAPE(4)), LAB_ERROR_INVALID_VALUE);
    cr_assert_null(array);
    cr_assert_eq(lab_array_empty(NULL, LAB_FLOAT32, LAB_SHAPE(4)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_dtype_size((lab_dtype)999), 0);
    cr_assert_str_eq(lab_dtype_name((lab_dtype)999), "unknown");
    cr_assert_eq(lab_dtype_size(LAB_FLOAT32), 4);
    cr_assert_str_eq(lab_dtype_name(LAB_FLOAT32), "float32");
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, destroyed_array_is_an_invalid_handle_and_has_nothing_left)
{
    float host[4] = {0};
    lab_array *array = make_array(LAB_SHAPE(4));
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_array_set(array, host), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_get(array, host), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "lab_array_get: the array was destroyed"), "%s",
                       lab_error_message());
    cr_assert_eq(lab_array_set_async(array, host, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_get_async(array, host, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_data(array), 0);
    cr_assert_eq(lab_array_count(array), 0);
    cr_assert_eq(lab_array_bytes(array), 0);
    cr_assert_eq(lab_array_dtype(array), 0);
    cr_assert_eq(lab_array_shape(array).dimensions, 0);
    cr_assert_eq(lab_array_destroy(array), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_destroy(NULL), LAB_SUCCESS);
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, no_array_is_an_invalid_handle)
{
    float host[4] = {0};
    cr_assert_eq(lab_array_set(NULL, host), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "is NULL"), "%s", lab_error_message());
    cr_assert_eq(lab_array_count(NULL), 0);
    cr_assert_eq(lab_array_set((lab_array *)host, host), LAB_ERROR_INVALID_HANDLE);
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, a_handle_of_another_type_is_not_an_array)
{
    float host[4] = {0};
    lab_stream *stream = make_stream();
    cr_assert_eq(lab_array_set((lab_array *)stream, host), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_destroy((lab_array *)stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
}

/* lab.h, Arrays: invalid arguments are refused. */
Test(array, no_host_memory_is_refused)
{
    lab_array *array = make_array(LAB_SHAPE(4));
    cr_assert_eq(lab_array_set(array, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "lab_array_set"), "%s", lab_error_message());
    cr_assert_eq(lab_array_get(array, NULL), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_array_destroy(array));
}

/* cuda.h, Stream Ordered Memory Allocator: cuMemFreeAsync. */
Test(array, destroying_does_not_wait_and_the_work_enqueued_before_is_done_on_its_memory)
{
    enum { COUNT = 1 << 16, BYTES = COUNT * sizeof(float) };
    gate closed = GATE_CLOSED;
    lab_stream *stream = make_stream();
    lab_array *array = make_array(LAB_SHAPE(COUNT));
    float *pinned;
    LAB_CHECK(lab_host_alloc((void **)&pinned, 2 * BYTES));
    for (int i = 0; i < COUNT; i++) pinned[i] = (float)i;
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_array_set_async(array, pinned, stream));
    LAB_CHECK(lab_array_get_async(array, pinned + COUNT, stream));
    LAB_CHECK(lab_array_destroy(array));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_NOT_READY, "destroying does not wait");
    lab_array *next = make_array(LAB_SHAPE(COUNT));
    lab_event *overwritten;
    LAB_CHECK(lab_event_create(&overwritten, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_memset_async(lab_array_data(next), 0, BYTES, lab_stream_null()));
    LAB_CHECK(lab_event_record(overwritten, lab_stream_null()));
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(overwritten));
    LAB_CHECK(lab_stream_synchronize(stream));
    cr_assert_eq(memcmp(pinned, pinned + COUNT, BYTES), 0, "the next array did not get the memory too early");
    LAB_CHECK(lab_array_destroy(next));
    LAB_CHECK(lab_host_free(pinned));
}
