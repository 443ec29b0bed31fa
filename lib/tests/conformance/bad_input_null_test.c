/* Bad input: NULL as the place for a result, for every function that has one. The objects involved still work
 * afterwards. */
#include "everything.h"

#define NOWHERE(...) REFUSED(LAB_ERROR_INVALID_VALUE, __VA_ARGS__)

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input_null, devices_contexts_streams_and_events_need_somewhere_to_put_the_result)
{
    everything all = make_everything();
    size_t bytes;
    int number;
    NOWHERE(lab_device_count(NULL));
    NOWHERE(lab_device_get_info(NULL, 0));
    NOWHERE(lab_device_current(NULL));
    NOWHERE(lab_device_can_access_peer(NULL, 0, 0));
    NOWHERE(lab_device_by_pci_bus_id(NULL, "0000:00:00.0"));
    NOWHERE(lab_context_create(NULL, 0));
    NOWHERE(lab_context_primary_retain(NULL, 0));
    NOWHERE(lab_context_get_info(NULL, NULL));
    NOWHERE(lab_stream_create(NULL, 0));
    NOWHERE(lab_stream_create_with_priority(NULL, 0, 0));
    NOWHERE(lab_stream_priority_range(NULL, &number));
    NOWHERE(lab_stream_priority_range(&number, NULL));
    NOWHERE(lab_stream_get_id(NULL, all.stream));
    NOWHERE(lab_stream_get_device(NULL, all.stream));
    NOWHERE(lab_stream_get_context(NULL, all.stream));
    NOWHERE(lab_stream_get_flags(NULL, all.stream));
    NOWHERE(lab_stream_get_priority(NULL, all.stream));
    NOWHERE(lab_stream_is_equal(NULL, all.stream, all.stream));
    NOWHERE(lab_stream_native(NULL, all.stream));
    NOWHERE(lab_stream_from_native(NULL, NULL));
    NOWHERE(lab_stream_is_capturing(NULL, all.stream));
    NOWHERE(lab_event_create(NULL, 0));
    NOWHERE(lab_event_get_device(NULL, all.event));
    NOWHERE(lab_event_elapsed_time(NULL, all.event, all.event));
    NOWHERE(lab_mem_get_info(NULL, &bytes));
    NOWHERE(lab_mem_get_info(&bytes, NULL));
    use_and_destroy_everything(&all);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input_null, memory_and_pools_need_somewhere_to_put_the_result)
{
    everything all = make_everything();
    NOWHERE(lab_mem_alloc(NULL, 64));
    NOWHERE(lab_mem_get_device(NULL, all.memory));
    NOWHERE(lab_host_alloc(NULL, 64));
    NOWHERE(lab_mempool_create(NULL, NULL));
    NOWHERE(lab_mempool_alloc(NULL, all.pool, 64, all.stream));
    NOWHERE(lab_mempool_allocator(NULL, all.pool));
    NOWHERE(lab_get_allocator(NULL));
    NOWHERE(lab_thread_exchange_allocator(NULL));
    NOWHERE(lab_pinned_mempool_create(NULL));
    NOWHERE(lab_pinned_mempool_alloc(NULL, all.pinned_pool, 64));
    use_and_destroy_everything(&all);
}

/* lab.h, What the library cannot see: NULL is refused. */
Test(bad_input_null, memory_that_is_told_of)
{
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_host_reads(NULL, 4));
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_host_writes(NULL, 4));
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_next_uses(0, 4, true));
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_next_uses_host(NULL, 4, true));
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input_null, arrays_need_somewhere_to_put_the_result)
{
    everything all = make_everything();
    const float host[THINGS] = {0};
    NOWHERE(lab_dtype_parse(NULL, "float32"));
    NOWHERE(lab_array_empty(NULL, LAB_INT8, LAB_SHAPE(1)));
    NOWHERE(lab_array_from_memory(NULL, LAB_INT8, LAB_SHAPE(1), all.memory, NULL));
    NOWHERE(lab_array_reshape(NULL, all.array, LAB_SHAPE(2, 2)));
    NOWHERE(lab_array_slice(NULL, all.array, 0, 1));
    NOWHERE(lab_array_slice_axis(NULL, all.array, 0, 0, 1, 1));
    NOWHERE(lab_array_transpose(NULL, all.array, LAB_AXES(0)));
    NOWHERE(lab_array_zeros(NULL, LAB_INT8, LAB_SHAPE(1)));
    NOWHERE(lab_array_ones(NULL, LAB_INT8, LAB_SHAPE(1)));
    NOWHERE(lab_array_full(NULL, LAB_INT8, LAB_SHAPE(1), LAB_ARG(1)));
    NOWHERE(lab_array_arange(NULL, LAB_INT8, 1, LAB_ARG(0), LAB_ARG(1)));
    NOWHERE(lab_array_random_uniform(NULL, LAB_FLOAT32, LAB_SHAPE(1), 0, 1, 1));
    NOWHERE(lab_array_random_normal(NULL, LAB_FLOAT32, LAB_SHAPE(1), 0, 1, 1));
    NOWHERE(lab_array_from_host(NULL, LAB_FLOAT32, LAB_SHAPE(THINGS), host));
    NOWHERE(lab_array_from_host_async(NULL, LAB_FLOAT32, LAB_SHAPE(THINGS), host, all.stream));
    NOWHERE(lab_array_copy(NULL, all.array, all.stream));
    NOWHERE(lab_array_astype(NULL, all.array, LAB_INT8, all.stream));
    use_and_destroy_everything(&all);
}

static lab_status do_nothing(void *user)
{
    (void)user;
    return LAB_SUCCESS;
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input_null, kernels_and_graphs_need_somewhere_to_put_the_result)
{
    static const char source[] = "extern \"C\" __global__ void touch(int *out) { *out = 1; }\n";
    const lab_reduction_source sum = everything_sum();
    everything all = make_everything();
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    lab_deviceptr address;
    size_t bytes;
    int count;
    NOWHERE(lab_module_load_source(NULL, source, NULL));
    NOWHERE(lab_module_load_with(NULL, source, NULL, NULL));
    NOWHERE(lab_module_load_file(NULL, "touch.cu"));
    NOWHERE(lab_module_get_device(NULL, all.module));
    NOWHERE(lab_module_get_function(NULL, all.module, "touch"));
    NOWHERE(lab_module_get_global(NULL, &bytes, all.module, "touched"));
    NOWHERE(lab_module_get_global(&address, NULL, all.module, "touched"));
    NOWHERE(lab_function_get_parameters(NULL, all.function));
    NOWHERE(lab_function_get_info(NULL, all.function));
    NOWHERE(lab_args_raw(NULL, all.function, NULL));
    NOWHERE(lab_elementwise_create_from(NULL, NULL));
    NOWHERE(lab_elementwise_create(NULL, "T x", "T y", "y = x", NULL));
    NOWHERE(lab_reduction_create(NULL, &sum));
    NOWHERE(lab_expression_create(NULL, "x", "x", NULL));
    NOWHERE(lab_expression_dtype(NULL, all.expression, LAB_ARGS(all.array)));
    NOWHERE(lab_expression_result_dtype(NULL, all.expression, 0, LAB_ARGS(all.array)));
    NOWHERE(lab_graph_get_nodes(NULL, &count, all.graph));
    NOWHERE(lab_graph_get_nodes(&node, NULL, all.graph));
    NOWHERE(lab_graph_get_edges(NULL, &count, all.graph));
    NOWHERE(lab_graph_get_edges(&edge, NULL, all.graph));
    NOWHERE(lab_graph_instantiate(NULL, all.graph));
    NOWHERE(lab_thread_exchange_capture_mode(NULL));
    NOWHERE(lab_cache_get_info(NULL));
    NOWHERE(lab_benchmark(NULL, do_nothing, NULL, NULL));
    NOWHERE(lab_range_push(NULL));
    NOWHERE(lab_range_push_color(NULL, 1));
    NOWHERE(lab_managed_alloc(NULL, 64));
    LAB_CHECK(lab_stream_begin_capture(all.stream, LAB_CAPTURE_RELAXED));
    NOWHERE(lab_stream_end_capture(NULL, all.stream));
    lab_graph *graph = NULL;
    (void)lab_stream_end_capture(&graph, all.stream); /* the capture may or may not have ended */
    LAB_CHECK(lab_graph_destroy(graph));
    use_and_destroy_everything(&all);
}

/* lab.h, Status: functions that cannot fail accept every argument. */
Test(bad_input_null, what_cannot_fail_has_an_answer_for_nothing_and_for_nonsense)
{
    lab_context *popped;
    cr_assert_str_eq(lab_status_name((lab_status)-3), lab_status_name((lab_status)12345));
    cr_assert_gt(strlen(lab_status_text((lab_status)12345)), 0);
    cr_assert_str_eq(lab_error_message(), "");
    cr_assert_str_eq(lab_dtype_name((lab_dtype)99), "unknown");
    cr_assert_eq(lab_dtype_size((lab_dtype)-1), 0);
    cr_assert_str_eq(lab_graph_node_kind_name((lab_graph_node_kind)77), "unknown");
    cr_assert_eq(lab_here_ends(LAB_ERROR_NOT_FOUND), LAB_ERROR_NOT_FOUND); /* nothing had begun */
    lab_here(NULL, -5);
    LAB_CHECK((lab_device_synchronize)());
    cr_assert_eq(lab_here_ends((lab_status)12345), (lab_status)12345);
    const char *file = NULL;
    int line = -1;
    lab_error_place(NULL, NULL);
    lab_error_place(&file, NULL);
    lab_error_place(NULL, &line);
    cr_assert(file && line >= 0);
    lab_host_release(NULL);
    lab_host_acquire(NULL);
    LAB_CHECK(lab_set_allocator(NULL));
    cr_assert_not_null(lab_device_allocator().alloc);
    cr_assert_not_null(lab_context_current());
    cr_assert_not_null(lab_stream_null());
    cr_assert_not_null(lab_stream_per_thread());
    cr_assert_not_null(lab_stream_current());
    cr_assert_not_null(lab_mempool_default());
    cr_assert_not_null(lab_pinned_mempool_default());
    REFUSED(LAB_ERROR_INVALID_CONTEXT, lab_context_pop(NULL));
    REFUSED(LAB_ERROR_INVALID_CONTEXT, lab_context_pop(&popped));
    LAB_CHECK(lab_host_free(NULL));
    LAB_CHECK(lab_managed_free(NULL));
    lab_benchmark_free(NULL);
    REFUSED(LAB_ERROR_INVALID_VALUE, lab_host_unregister(NULL));
    lab_device_scope device_scope = lab_device_scope_enter(-1);
    lab_device_scope_leave(&device_scope);
    lab_stream_scope stream_scope = lab_stream_scope_enter(NULL);
    lab_stream_scope_leave(&stream_scope);
    LAB_CHECK(lab_device_synchronize());
}

static void fail_check(void *user)
{
    (void)user;
    lab_check_failed(NULL, 0, NULL, (lab_status)12345);
}

/* lab.h, Status: lab_check_failed prints and exits. */
Test(bad_input_null, a_failed_check_without_a_place_still_prints_and_exits)
{
    char output[1000];
    int status = test_in_child(fail_check, NULL, output, sizeof output);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "status %d: %s", status, output);
    cr_assert_gt(strlen(output), 5);
}
