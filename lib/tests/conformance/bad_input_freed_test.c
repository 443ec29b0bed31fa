/* Bad input: handles of destroyed objects and addresses of freed memory, for every function that takes one. The library
 * detects and names them, and harms nothing else: a second set of everything still works. */
#include "everything.h"

#define GONE(...) REFUSED(LAB_ERROR_INVALID_HANDLE, __VA_ARGS__)
#define FREED(...) REFUSED(LAB_ERROR_INVALID_VALUE, __VA_ARGS__)

/* Two of everything: `all` is alive, `gone` is destroyed. */
static everything all, gone;

static void make_both(void)
{
    gone = make_everything();
    all = make_everything();
    use_and_destroy_everything(&gone);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_CONTEXT_IS_DESTROYED. */
Test(bad_input_freed, contexts)
{
    const lab_status destroyed = LAB_ERROR_CONTEXT_IS_DESTROYED;
    lab_context *context;
    lab_context_info info;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_context_destroy(context));
    REFUSED(destroyed, lab_context_destroy(context));
    REFUSED(destroyed, lab_context_push(context));
    REFUSED(destroyed, lab_context_set(context));
    REFUSED(destroyed, lab_context_synchronize(context));
    REFUSED(destroyed, lab_context_get_info(&info, context));
    REFUSED(destroyed, lab_context_enable_peer_access(context));
    REFUSED(destroyed, lab_context_disable_peer_access(context));
    LAB_CHECK(lab_device_synchronize());
}

static void never_called(void *user) { (void)user, abort(); }

static void callback_never_called(lab_stream *stream, lab_status status, void *user)
{
    (void)stream, (void)status, (void)user;
    abort();
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(bad_input_freed, streams_that_are_asked)
{
    uint64_t id;
    int number;
    unsigned flags;
    bool equal;
    void *native;
    lab_context *context;
    lab_capture_status capture;
    lab_graph *graph;
    make_both();
    lab_stream *const stream = gone.stream;
    GONE(lab_stream_destroy(stream));
    GONE(lab_stream_use(stream));
    GONE(lab_stream_synchronize(stream));
    GONE(lab_stream_query(stream));
    GONE(lab_stream_get_id(&id, stream));
    GONE(lab_stream_get_device(&number, stream));
    GONE(lab_stream_get_context(&context, stream));
    GONE(lab_stream_get_flags(&flags, stream));
    GONE(lab_stream_get_priority(&number, stream));
    GONE(lab_stream_is_equal(&equal, stream, all.stream));
    GONE(lab_stream_is_equal(&equal, all.stream, stream));
    GONE(lab_stream_native(&native, stream));
    GONE(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    GONE(lab_stream_end_capture(&graph, stream));
    GONE(lab_stream_is_capturing(&capture, stream));
    GONE(lab_mempool_free_stream_blocks(all.pool, stream));
    GONE(lab_mempool_record_stream(all.pool, all.block, stream));
    GONE(lab_pinned_mempool_record_stream(all.pinned_pool, all.pinned_block, stream));
    LAB_WITH_STREAM(stream) GONE(lab_stream_synchronize(NULL)); /* inside the braces it is current and destroyed */
    lab_stream_scope scope = lab_stream_scope_enter(stream);
    lab_stream_scope_leave(&scope);
    LAB_CHECK(lab_stream_synchronize(NULL));
    use_and_destroy_everything(&all);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(bad_input_freed, streams_to_enqueue_on)
{
    float host[THINGS] = {0};
    lab_array *array = NULL;
    lab_deviceptr memory;
    make_both();
    lab_stream *const stream = gone.stream;
    GONE(lab_stream_launch_host_func(stream, never_called, NULL));
    GONE(lab_stream_add_callback(stream, callback_never_called, NULL));
    GONE(lab_event_record(all.event, stream));
    GONE(lab_stream_wait_event(stream, all.event));
    GONE(lab_memcpy_htod_async(all.memory, host, THINGS_BYTES, stream));
    GONE(lab_memcpy_dtoh_async(host, all.memory, THINGS_BYTES, stream));
    GONE(lab_memcpy_dtod_async(all.memory, all.block, THINGS_BYTES, stream));
    GONE(lab_memcpy_peer_async(all.memory, 0, all.block, 0, THINGS_BYTES, stream));
    GONE(lab_memset_async(all.memory, 1, THINGS_BYTES, stream));
    GONE(lab_mempool_alloc(&memory, all.pool, 64, stream));
    GONE(lab_mempool_free(all.pool, all.block, stream));
    GONE(lab_array_set_async(all.array, host, stream));
    GONE(lab_array_get_async(all.array, host, stream));
    GONE(lab_array_from_host_async(&array, LAB_FLOAT32, LAB_SHAPE(THINGS), host, stream));
    GONE(lab_array_copy(&array, all.array, stream));
    GONE(lab_array_astype(&array, all.array, LAB_INT8, stream));
    GONE(lab_array_fill(all.array, LAB_ARG(1), stream));
    GONE(lab_array_sum(all.one, all.array, stream));
    GONE(lab_array_mean(all.one, all.array, stream));
    GONE(lab_array_min(all.one, all.array, stream));
    GONE(lab_array_max(all.one, all.array, stream));
    GONE(lab_array_dot(all.one, all.array, all.array, stream));
    GONE(lab_array_prod(all.one, all.array, stream));
    GONE(lab_array_argmin(all.place, all.array, stream));
    GONE(lab_array_argmax(all.place, all.array, stream));
    GONE(lab_array_any(all.truth, all.array, stream));
    GONE(lab_array_all(all.truth, all.array, stream));
    GONE(lab_array_sum_axis(all.one, all.array, 0, stream));
    GONE(lab_array_sum_axes(all.one, all.array, LAB_AXES(0), stream));
    GONE(lab_array_prod_axis(all.one, all.array, 0, stream));
    GONE(lab_array_prod_axes(all.one, all.array, LAB_AXES(0), stream));
    GONE(lab_array_mean_axis(all.one, all.array, 0, stream));
    GONE(lab_array_mean_axes(all.one, all.array, LAB_AXES(0), stream));
    GONE(lab_array_min_axis(all.one, all.array, 0, stream));
    GONE(lab_array_min_axes(all.one, all.array, LAB_AXES(0), stream));
    GONE(lab_array_max_axis(all.one, all.array, 0, stream));
    GONE(lab_array_max_axes(all.one, all.array, LAB_AXES(0), stream));
    GONE(lab_array_argmin_axis(all.place, all.array, 0, stream));
    GONE(lab_array_argmax_axis(all.place, all.array, 0, stream));
    GONE(lab_array_any_axis(all.truth, all.array, 0, stream));
    GONE(lab_array_any_axes(all.truth, all.array, LAB_AXES(0), stream));
    GONE(lab_array_all_axis(all.truth, all.array, 0, stream));
    GONE(lab_array_all_axes(all.truth, all.array, LAB_AXES(0), stream));
    GONE(lab_reduction_launch_axis(all.reduction, 0, stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_reduction_launch_axes(all.reduction, LAB_AXES(0), stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(all.array)));
    GONE(lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(all.array)));
    GONE(lab_elementwise_launch(all.elementwise, stream, LAB_ARGS(all.array, all.array)));
    GONE(lab_elementwise_launch_sized(all.elementwise, 1, stream, LAB_ARGS(all.array, all.array)));
    GONE(lab_reduction_launch(all.reduction, stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_reduction_launch_sized(all.reduction, 1, stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_expression_apply(all.expression, stream, LAB_ARGS(all.array, all.array)));
    GONE(lab_graph_launch(all.exec, stream));
    GONE(lab_graph_upload(all.exec, stream));
    cr_assert_null(array);
    use_and_destroy_everything(&all);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE. */
Test(bad_input_freed, events)
{
    int device;
    float milliseconds;
    make_both();
    GONE(lab_event_destroy(gone.event));
    GONE(lab_event_get_device(&device, gone.event));
    GONE(lab_event_record(gone.event, all.stream));
    GONE(lab_event_query(gone.event));
    GONE(lab_event_synchronize(gone.event));
    GONE(lab_stream_wait_event(all.stream, gone.event));
    GONE(lab_event_elapsed_time(&milliseconds, gone.event, all.event));
    GONE(lab_event_elapsed_time(&milliseconds, all.event, gone.event));
    use_and_destroy_everything(&all);
}

/* cuda.h, Memory Management: CUDA_ERROR_INVALID_VALUE for what cuMemFree took. */
Test(bad_input_freed, memory)
{
    float host[THINGS] = {0};
    int device;
    lab_array *array;
    make_both();
    FREED(lab_array_from_memory(&array, LAB_FLOAT32, LAB_SHAPE(THINGS), gone.memory, NULL));
    FREED(lab_mem_free(gone.memory));
    FREED(lab_mem_get_device(&device, gone.memory));
    FREED(lab_host_free(gone.pinned));
    FREED(lab_managed_free(gone.pinned));
    REFUSED(LAB_ERROR_HOST_MEMORY_NOT_REGISTERED, lab_host_unregister(gone.pinned));
    FREED(lab_memcpy_htod(gone.memory, host, THINGS_BYTES));
    FREED(lab_memcpy_dtoh(host, gone.memory, THINGS_BYTES));
    FREED(lab_memcpy_htod_async(gone.memory, host, THINGS_BYTES, all.stream));
    FREED(lab_memcpy_dtoh_async(host, gone.memory, THINGS_BYTES, all.stream));
    FREED(lab_memcpy_dtod_async(gone.memory, all.memory, THINGS_BYTES, all.stream));
    FREED(lab_memcpy_dtod_async(all.memory, gone.memory, THINGS_BYTES, all.stream));
    FREED(lab_memcpy_peer(gone.memory, 0, all.memory, 0, THINGS_BYTES));
    FREED(lab_memcpy_peer(all.memory, 0, gone.memory, 0, THINGS_BYTES));
    FREED(lab_memcpy_peer_async(gone.memory, 0, all.memory, 0, THINGS_BYTES, all.stream));
    FREED(lab_memset_async(gone.memory, 0, THINGS_BYTES, all.stream));
    FREED(lab_mempool_free(all.pool, gone.block, all.stream));
    FREED(lab_mempool_record_stream(all.pool, gone.block, all.stream));
    FREED(lab_pinned_mempool_free(all.pinned_pool, gone.pinned_block));
    FREED(lab_pinned_mempool_record_stream(all.pinned_pool, gone.pinned_block, all.stream));
    FREED(lab_next_uses(gone.memory, THINGS_BYTES, true));
    FREED(lab_next_uses(gone.block, THINGS_BYTES, false));
    FREED(lab_next_uses((uintptr_t)gone.pinned, THINGS_BYTES, true));
    FREED(lab_next_uses((uintptr_t)gone.pinned_block, THINGS_BYTES, false));
    REFUSED(LAB_ERROR_ILLEGAL_ADDRESS,
            lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(gone.memory)));
    REFUSED(LAB_ERROR_ILLEGAL_ADDRESS,
            lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(gone.memory)));
    use_and_destroy_everything(&all);
}

/* lab.h, Memory pools: a pool that was destroyed. */
Test(bad_input_freed, pools)
{
    lab_deviceptr memory;
    void *pinned;
    lab_allocator allocator;
    make_both();
    GONE(lab_mempool_destroy(gone.pool));
    GONE(lab_mempool_alloc(&memory, gone.pool, 64, all.stream));
    GONE(lab_mempool_free(gone.pool, all.block, all.stream));
    GONE(lab_mempool_record_stream(gone.pool, all.block, all.stream));
    GONE(lab_mempool_free_all_blocks(gone.pool));
    GONE(lab_mempool_free_stream_blocks(gone.pool, all.stream));
    GONE(lab_mempool_set_limit(gone.pool, 1 << 20));
    GONE(lab_mempool_set_limit_percent(gone.pool, 50));
    GONE(lab_mempool_allocator(&allocator, gone.pool));
    cr_assert_eq(lab_mempool_used_bytes(gone.pool) + lab_mempool_free_bytes(gone.pool), 0);
    cr_assert_eq(lab_mempool_total_bytes(gone.pool) + lab_mempool_n_free_blocks(gone.pool), 0);
    cr_assert_eq(lab_mempool_get_limit(gone.pool), 0);
    GONE(lab_pinned_mempool_destroy(gone.pinned_pool));
    GONE(lab_pinned_mempool_alloc(&pinned, gone.pinned_pool, 64));
    GONE(lab_pinned_mempool_free(gone.pinned_pool, all.pinned_block));
    GONE(lab_pinned_mempool_record_stream(gone.pinned_pool, all.pinned_block, all.stream));
    GONE(lab_pinned_mempool_free_all_blocks(gone.pinned_pool));
    cr_assert_eq(lab_pinned_mempool_used_bytes(gone.pinned_pool) + lab_pinned_mempool_free_bytes(gone.pinned_pool), 0);
    cr_assert_eq(lab_pinned_mempool_total_bytes(gone.pinned_pool), 0);
    cr_assert_eq(lab_pinned_mempool_n_free_blocks(gone.pinned_pool), 0);
    use_and_destroy_everything(&all);
}

/* lab.h, Arrays: an array that was destroyed. */
Test(bad_input_freed, arrays)
{
    float host[THINGS] = {0};
    lab_array *made = NULL;
    lab_dtype dtype;
    make_both();
    lab_array *const array = gone.array;
    GONE(lab_array_destroy(array));
    GONE(lab_array_reshape(&made, array, LAB_SHAPE(2, 2)));
    GONE(lab_array_slice(&made, array, 0, 1));
    GONE(lab_array_slice_axis(&made, array, 0, 0, 1, 1));
    GONE(lab_array_transpose(&made, array, LAB_AXES(0)));
    cr_assert_eq(lab_array_strides(array).dimensions, 0);
    cr_assert_eq(lab_array_device(array), -1);
    cr_assert_eq(lab_array_data(array), 0);
    cr_assert_eq(lab_array_count(array) + lab_array_bytes(array), 0);
    cr_assert_eq((int)lab_array_dtype(array), 0);
    cr_assert_eq(lab_array_shape(array).dimensions, 0);
    GONE(lab_array_set(array, host));
    GONE(lab_array_get(array, host));
    GONE(lab_array_set_async(array, host, all.stream));
    GONE(lab_array_get_async(array, host, all.stream));
    GONE(lab_array_get_item(array, 0, host));
    GONE(lab_array_set_item(array, 0, host));
    GONE(lab_array_copy(&made, array, all.stream));
    GONE(lab_array_astype(&made, array, LAB_INT8, all.stream));
    GONE(lab_array_fill(array, LAB_ARG(1), all.stream));
    GONE(lab_array_sum(array, all.array, all.stream));
    GONE(lab_array_sum(all.one, array, all.stream));
    GONE(lab_array_mean(all.one, array, all.stream));
    GONE(lab_array_min(all.one, array, all.stream));
    GONE(lab_array_max(all.one, array, all.stream));
    GONE(lab_array_dot(all.one, all.array, array, all.stream));
    GONE(lab_array_prod(all.one, array, all.stream));
    GONE(lab_array_argmin(all.place, array, all.stream));
    GONE(lab_array_argmax(all.place, array, all.stream));
    GONE(lab_array_any(all.truth, array, all.stream));
    GONE(lab_array_all(all.truth, array, all.stream));
    GONE(lab_array_sum_axis(all.one, array, 0, all.stream));
    GONE(lab_array_sum_axes(all.one, array, LAB_AXES(0), all.stream));
    GONE(lab_array_prod_axis(all.one, array, 0, all.stream));
    GONE(lab_array_prod_axes(all.one, array, LAB_AXES(0), all.stream));
    GONE(lab_array_mean_axis(all.one, array, 0, all.stream));
    GONE(lab_array_mean_axes(all.one, array, LAB_AXES(0), all.stream));
    GONE(lab_array_min_axis(all.one, array, 0, all.stream));
    GONE(lab_array_min_axes(all.one, array, LAB_AXES(0), all.stream));
    GONE(lab_array_max_axis(all.one, array, 0, all.stream));
    GONE(lab_array_max_axes(all.one, array, LAB_AXES(0), all.stream));
    GONE(lab_array_argmin_axis(all.place, array, 0, all.stream));
    GONE(lab_array_argmax_axis(all.place, array, 0, all.stream));
    GONE(lab_array_any_axis(all.truth, array, 0, all.stream));
    GONE(lab_array_any_axes(all.truth, array, LAB_AXES(0), all.stream));
    GONE(lab_array_all_axis(all.truth, array, 0, all.stream));
    GONE(lab_array_all_axes(all.truth, array, LAB_AXES(0), all.stream));
    GONE(lab_reduction_launch_axis(all.reduction, 0, all.stream, LAB_ARGS(array, all.one)));
    GONE(lab_reduction_launch_axes(all.reduction, LAB_AXES(0), all.stream, LAB_ARGS(array, all.one)));
    GONE(lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(array)));
    GONE(lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(array)));
    GONE(lab_elementwise_launch_sized(all.elementwise, 1, all.stream, LAB_ARGS(all.array, array)));
    GONE(lab_elementwise_launch(all.elementwise, all.stream, LAB_ARGS(array, all.array)));
    GONE(lab_reduction_launch(all.reduction, all.stream, LAB_ARGS(array, all.one)));
    GONE(lab_reduction_launch_sized(all.reduction, 1, all.stream, LAB_ARGS(all.array, array)));
    GONE(lab_expression_dtype(&dtype, all.expression, LAB_ARGS(array)));
    GONE(lab_expression_result_dtype(&dtype, all.expression, 0, LAB_ARGS(array)));
    GONE(lab_expression_apply(all.expression, all.stream, LAB_ARGS(all.array, array)));
    GONE(lab_graph_exec_update_kernel(all.exec, 0, all.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(array)));
    cr_assert_null(made);
    use_and_destroy_everything(&all);
}

/* cuda.h, Module Management: CUDA_ERROR_INVALID_HANDLE for what cuModuleUnload took. */
Test(bad_input_freed, modules_and_kernels)
{
    int device;
    lab_deviceptr address;
    size_t bytes;
    lab_function function;
    lab_parameters parameters;
    lab_function_info function_info;
    lab_raw_args raw;
    lab_dtype dtype;
    make_both();
    GONE(lab_module_unload(gone.module));
    GONE(lab_module_get_device(&device, gone.module));
    GONE(lab_module_get_function(&function, gone.module, "touch"));
    GONE(lab_module_get_global(&address, &bytes, gone.module, "touched"));
    GONE(lab_function_get_parameters(&parameters, gone.function));
    GONE(lab_function_get_info(&function_info, gone.function));
    GONE(lab_args_raw(&raw, gone.function, NULL));
    GONE(lab_launch(gone.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(all.array)));
    GONE(lab_launch_cooperative(gone.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(all.array)));
    GONE(lab_graph_exec_update_kernel(all.exec, 0, gone.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(all.array)));
    GONE(lab_elementwise_destroy(gone.elementwise));
    GONE(lab_elementwise_launch(gone.elementwise, all.stream, LAB_ARGS(all.array, all.array)));
    GONE(lab_elementwise_launch_sized(gone.elementwise, 1, all.stream, LAB_ARGS(all.array, all.array)));
    GONE(lab_reduction_destroy(gone.reduction));
    GONE(lab_reduction_launch(gone.reduction, all.stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_reduction_launch_sized(gone.reduction, 1, all.stream, LAB_ARGS(all.array, all.one)));
    GONE(lab_expression_destroy(gone.expression));
    GONE(lab_expression_dtype(&dtype, gone.expression, LAB_ARGS(all.array)));
    GONE(lab_expression_result_dtype(&dtype, gone.expression, 0, LAB_ARGS(all.array)));
    GONE(lab_expression_apply(gone.expression, all.stream, LAB_ARGS(all.array, all.array)));
    use_and_destroy_everything(&all);
}

/* cuda.h, Graph Management: CUDA_ERROR_INVALID_HANDLE for what cuGraphDestroy and cuGraphExecDestroy took. */
Test(bad_input_freed, graphs)
{
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    lab_graph_exec *exec;
    int count;
    make_both();
    GONE(lab_graph_get_nodes(&node, &count, gone.graph));
    GONE(lab_graph_get_edges(&edge, &count, gone.graph));
    GONE(lab_graph_save_dot(gone.graph, "never.dot"));
    GONE(lab_graph_instantiate(&exec, gone.graph));
    GONE(lab_graph_destroy(gone.graph));
    GONE(lab_graph_launch(gone.exec, all.stream));
    GONE(lab_graph_upload(gone.exec, all.stream));
    GONE(lab_graph_exec_update_kernel(gone.exec, 0, all.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(all.array)));
    GONE(lab_graph_exec_destroy(gone.exec));
    cr_assert_neq(access("never.dot", F_OK), 0, "a file was written");
    use_and_destroy_everything(&all);
}
