/* Bad input for many functions alike: the results of failed calls, calls without the context they need, handles of
 * another kind. */
#include "lab.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

static const char source[] = "extern \"C\" __global__ void touch(int *out) { *out = 1; }\n";

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input, a_failed_call_leaves_no_old_result_behind)
{
    lab_context *context = (lab_context *)&context;
    lab_stream *stream = (lab_stream *)&stream;
    lab_event *event = (lab_event *)&event;
    lab_array *array = (lab_array *)&array;
    lab_module *module = (lab_module *)&module;
    lab_function function = {1};
    lab_deviceptr memory = 1;
    void *pinned = &pinned;
    cr_assert_neq(lab_context_create(&context, -1), LAB_SUCCESS);
    cr_assert_neq(lab_stream_create(&stream, 77), LAB_SUCCESS);
    cr_assert_neq(lab_event_create(&event, 77), LAB_SUCCESS);
    cr_assert_neq(lab_array_empty(&array, 0, LAB_SHAPE(1)), LAB_SUCCESS);
    cr_assert_neq(lab_module_load_source(&module, NULL, NULL), LAB_SUCCESS);
    cr_assert_neq(lab_module_get_function(&function, NULL, "touch"), LAB_SUCCESS);
    cr_assert_neq(lab_mem_alloc(&memory, 0), LAB_SUCCESS);
    cr_assert_neq(lab_host_alloc(&pinned, SIZE_MAX), LAB_SUCCESS);
    cr_assert(!context && !stream && !event && !array && !module && !function.handle && !memory && !pinned);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_CONTEXT_IS_DESTROYED. */
Test(bad_input, while_the_current_context_is_destroyed_calls_that_need_one_say_so)
{
    lab_context *below, *above;
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_module *module;
    lab_deviceptr memory;
    void *pinned;
    int number, other;
    size_t bytes, more_bytes;
    char host[16];
    LAB_CHECK(lab_context_create(&below, 0));
    LAB_CHECK(lab_context_create(&above, 0));
    LAB_CHECK(lab_context_destroy(below));
    LAB_CHECK(lab_context_pop(NULL));
    const lab_status gone = LAB_ERROR_CONTEXT_IS_DESTROYED;
    cr_assert_eq(lab_stream_create(&stream, 0), gone);
    cr_assert_eq(lab_event_create(&event, 0), gone);
    cr_assert_eq(lab_array_empty(&array, LAB_INT8, LAB_SHAPE(1)), gone);
    cr_assert_eq(lab_module_load_source(&module, source, NULL), gone);
    cr_assert_eq(lab_mem_alloc(&memory, 1), gone);
    cr_assert_eq(lab_host_alloc(&pinned, 1), gone);
    cr_assert_eq(lab_host_register(host, sizeof host), gone);
    cr_assert_eq(lab_mem_get_info(&bytes, &more_bytes), gone);
    cr_assert_eq(lab_stream_synchronize(NULL), gone);
    cr_assert_eq(lab_stream_priority_range(&number, &other), gone);
    cr_assert_eq(lab_device_current(&number), gone);
    cr_assert_eq(lab_device_synchronize(), gone);
    cr_assert_eq(lab_context_synchronize(NULL), gone);
    cr_assert_eq(lab_memcpy_htod(1, host, 1), gone);
    cr_assert_null(lab_stream_null());
    cr_assert_null(lab_stream_current());
    cr_assert_null(lab_stream_per_thread());
    cr_assert_not_null(strstr(lab_error_message(), "lab_context_pop"), "%s", lab_error_message());
    LAB_CHECK(lab_device_use(0));
    LAB_CHECK(lab_stream_synchronize(NULL));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(bad_input, handles_of_one_kind_are_not_taken_for_another)
{
    lab_stream *stream;
    lab_event *event;
    lab_context *context = lab_context_current();
    LAB_CHECK(lab_stream_create(&stream, 0));
    LAB_CHECK(lab_event_create(&event, 0));
    cr_assert_eq(lab_stream_query((lab_stream *)event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_destroy((lab_stream *)context), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_query((lab_event *)stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_context_push((lab_context *)stream), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_module_unload((lab_module *)event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_destroy((lab_array *)context), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_destroy((lab_graph *)stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_launch((lab_graph_exec *)event, stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
}

/* lab.h, What the library cannot see: the host uses host memory, and a kernel uses memory that kernels can use. */
Test(bad_input, memory_that_is_told_of_is_on_the_side_that_uses_it)
{
    lab_deviceptr memory;
    char pageable[16];
    LAB_CHECK(lab_mem_alloc(&memory, 16));
    void *as_host = (void *)(uintptr_t)memory;
    cr_assert_eq(lab_host_reads(as_host, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_writes(as_host, 16), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_next_uses_host(as_host, 16, true), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "is device memory"), "%s", lab_error_message());
    cr_assert_eq(lab_next_uses((uintptr_t)pageable, 16, true), LAB_ERROR_INVALID_VALUE);
    cr_assert_not_null(strstr(lab_error_message(), "neither device memory nor pinned"), "%s", lab_error_message());
    LAB_CHECK(lab_host_reads(pageable, 16));
    LAB_CHECK(lab_host_writes(pageable, 16));
    LAB_CHECK(lab_next_uses_host(pageable, 16, true));
    LAB_CHECK(lab_next_uses(memory, 16, true));
}
