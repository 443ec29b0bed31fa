/* Bad input: calls of the library inside a host function are refused and have no effect. */
#include "everything.h"

#include <stdatomic.h>

static everything all;
static lab_context *primary;
static atomic_int calls, other_answers, first_line; /* first_line: the line of the first other answer */

static void answer(lab_status status, int line)
{
    int none = 0;
    atomic_fetch_add(&calls, 1);
    if (status == LAB_ERROR_NOT_PERMITTED) return;
    atomic_fetch_add(&other_answers, 1);
    atomic_compare_exchange_strong(&first_line, &none, line);
}

#define ANSWER(...) answer((__VA_ARGS__), __LINE__)

static void nothing(void *user) { (void)user; }

static void no_callback(lab_stream *stream, lab_status status, void *user) { (void)stream, (void)status, (void)user; }

/* Calls the function as a host function of a stream; everything works afterwards. */
static void refuses_all_of(void (*function)(void *user))
{
    all = make_everything();
    primary = lab_context_current();
    LAB_CHECK(lab_stream_launch_host_func(all.stream, function, NULL));
    LAB_CHECK(lab_stream_synchronize(all.stream));
    cr_assert_gt(atomic_load(&calls), 0);
    cr_assert_eq(atomic_load(&other_answers), 0, "%d of %d calls were not refused, first in line %d",
                 atomic_load(&other_answers), atomic_load(&calls), atomic_load(&first_line));
    use_and_destroy_everything(&all);
}

static void call_contexts(void *user)
{
    (void)user;
    lab_context *context;
    int number;
    bool is;
    lab_device_info device_info;
    lab_context_info context_info;
    ANSWER(lab_device_count(&number));
    ANSWER(lab_device_get_info(&device_info, 0));
    ANSWER(lab_device_current(&number));
    ANSWER(lab_device_use(0));
    ANSWER(lab_device_can_access_peer(&is, 0, 0));
    ANSWER(lab_device_by_pci_bus_id(&(int){0}, "0000:00:00.0"));
    ANSWER(lab_device_reset(0));
    ANSWER(lab_device_synchronize());
    ANSWER(lab_context_create(&context, 0));
    ANSWER(lab_context_primary_retain(&context, 0));
    ANSWER(lab_context_primary_release(0));
    ANSWER(lab_context_pop(&context));
    ANSWER(lab_context_set(NULL));
    ANSWER(lab_context_synchronize(NULL));
    ANSWER(lab_context_get_info(&context_info, NULL));
    ANSWER(lab_context_destroy(primary));
    ANSWER(lab_context_push(primary));
    ANSWER(lab_context_enable_peer_access(primary));
    ANSWER(lab_context_disable_peer_access(primary));
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, contexts) { refuses_all_of(call_contexts); }

static void call_streams_and_events(void *user)
{
    (void)user;
    lab_context *context;
    lab_stream *stream;
    lab_event *event;
    void *pointer;
    int number;
    int other;
    float milliseconds;
    uint64_t id;
    unsigned flags;
    bool is;
    ANSWER(lab_stream_create(&stream, 0));
    ANSWER(lab_stream_create_with_priority(&stream, 0, 0));
    ANSWER(lab_stream_priority_range(&number, &other));
    ANSWER(lab_stream_destroy(all.stream));
    ANSWER(lab_stream_use(all.stream));
    ANSWER(lab_stream_synchronize(all.stream));
    ANSWER(lab_stream_query(all.stream));
    ANSWER(lab_stream_get_id(&id, all.stream));
    ANSWER(lab_stream_get_device(&number, all.stream));
    ANSWER(lab_stream_get_context(&context, all.stream));
    ANSWER(lab_stream_get_flags(&flags, all.stream));
    ANSWER(lab_stream_get_priority(&number, all.stream));
    ANSWER(lab_stream_is_equal(&is, all.stream, all.stream));
    ANSWER(lab_stream_native(&pointer, all.stream));
    ANSWER(lab_stream_from_native(&stream, NULL));
    ANSWER(lab_stream_launch_host_func(all.stream, nothing, NULL));
    ANSWER(lab_event_create(&event, 0));
    ANSWER(lab_event_destroy(all.event));
    ANSWER(lab_event_get_device(&number, all.event));
    ANSWER(lab_event_record(all.event, all.stream));
    ANSWER(lab_event_query(all.event));
    ANSWER(lab_event_synchronize(all.event));
    ANSWER(lab_stream_wait_event(all.stream, all.event));
    ANSWER(lab_event_elapsed_time(&milliseconds, all.event, all.event));
    ANSWER(lab_stream_add_callback(all.stream, no_callback, NULL));
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, streams_and_events) { refuses_all_of(call_streams_and_events); }

static void call_memory(void *user)
{
    (void)user;
    lab_deviceptr memory;
    void *pointer;
    lab_mempool *pool;
    lab_pinned_mempool *pinned_pool;
    lab_allocator allocator;
    int number;
    size_t bytes;
    size_t more_bytes;
    float host[4] = {0};
    ANSWER(lab_mem_alloc(&memory, 64));
    ANSWER(lab_mem_free(all.memory));
    ANSWER(lab_mem_get_info(&bytes, &more_bytes));
    ANSWER(lab_mem_get_device(&number, all.memory));
    ANSWER(lab_host_alloc(&pointer, 64));
    ANSWER(lab_host_free(all.pinned));
    ANSWER(lab_managed_alloc(&pointer, 64));
    ANSWER(lab_managed_free(all.pinned));
    ANSWER(lab_host_register(host, sizeof host));
    ANSWER(lab_host_unregister(host));
    ANSWER(lab_memcpy_htod(all.memory, host, 4));
    ANSWER(lab_memcpy_dtoh(host, all.memory, 4));
    ANSWER(lab_memcpy_dtod_async(all.memory, all.memory, 4, all.stream));
    ANSWER(lab_memcpy_peer(all.memory, 0, all.memory, 0, 4));
    ANSWER(lab_memset_async(all.memory, 0, 4, all.stream));
    ANSWER(lab_memcpy_htod_async(all.memory, host, 4, all.stream));
    ANSWER(lab_memcpy_dtoh_async(host, all.memory, 4, all.stream));
    ANSWER(lab_memcpy_peer_async(all.memory, 0, all.memory, 0, 4, all.stream));
    ANSWER(lab_mempool_create(&pool, NULL));
    ANSWER(lab_mempool_alloc(&memory, all.pool, 4, all.stream));
    ANSWER(lab_mempool_free(all.pool, all.block, all.stream));
    ANSWER(lab_mempool_record_stream(all.pool, all.block, all.stream));
    ANSWER(lab_mempool_free_all_blocks(all.pool));
    ANSWER(lab_mempool_free_stream_blocks(all.pool, all.stream));
    ANSWER(lab_mempool_set_limit(all.pool, 4));
    ANSWER(lab_mempool_set_limit_percent(all.pool, 4));
    ANSWER(lab_mempool_allocator(&allocator, all.pool));
    ANSWER(lab_mempool_destroy(all.pool));
    ANSWER(lab_set_allocator(NULL));
    ANSWER(lab_get_allocator(&allocator));
    ANSWER(lab_thread_exchange_allocator(&allocator));
    ANSWER(lab_pinned_mempool_create(&pinned_pool));
    ANSWER(lab_pinned_mempool_alloc(&pointer, all.pinned_pool, 4));
    ANSWER(lab_pinned_mempool_free(all.pinned_pool, all.pinned_block));
    ANSWER(lab_pinned_mempool_record_stream(all.pinned_pool, all.pinned_block, all.stream));
    ANSWER(lab_pinned_mempool_free_all_blocks(all.pinned_pool));
    ANSWER(lab_pinned_mempool_destroy(all.pinned_pool));
    ANSWER(lab_host_reads(host, sizeof host));
    ANSWER(lab_host_writes(host, sizeof host));
    ANSWER(lab_next_uses(all.memory, 4, true));
    ANSWER(lab_next_uses_host(host, sizeof host, true));
    lab_host_release(host);
    lab_host_acquire(host);
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, memory) { refuses_all_of(call_memory); }

static void call_arrays(void *user)
{
    (void)user;
    lab_array *array;
    float host[4] = {0};
    ANSWER(lab_array_empty(&array, LAB_INT32, LAB_SHAPE(1)));
    ANSWER(lab_array_destroy(all.array));
    ANSWER(lab_array_set(all.array, host));
    ANSWER(lab_array_get_async(all.array, host, all.stream));
    ANSWER(lab_array_reshape(&array, all.array, LAB_SHAPE(2, 2)));
    ANSWER(lab_array_from_memory(&array, LAB_INT32, LAB_SHAPE(1), all.memory, NULL));
    ANSWER(lab_array_slice(&array, all.array, 0, 1));
    ANSWER(lab_array_slice_axis(&array, all.array, 0, 0, 1, 1));
    ANSWER(lab_array_transpose(&array, all.array, LAB_AXES(0)));
    ANSWER(lab_array_get(all.array, host));
    ANSWER(lab_array_set_async(all.array, host, all.stream));
    ANSWER(lab_array_get_item(all.array, 0, host));
    ANSWER(lab_array_set_item(all.array, 0, host));
    ANSWER(lab_array_zeros(&array, LAB_INT32, LAB_SHAPE(1)));
    ANSWER(lab_array_ones(&array, LAB_INT32, LAB_SHAPE(1)));
    ANSWER(lab_array_full(&array, LAB_INT32, LAB_SHAPE(1), LAB_ARG(1)));
    ANSWER(lab_array_arange(&array, LAB_INT32, 1, LAB_ARG(0), LAB_ARG(1)));
    ANSWER(lab_array_random_uniform(&array, LAB_FLOAT32, LAB_SHAPE(1), 0, 1, 1));
    ANSWER(lab_array_random_normal(&array, LAB_FLOAT32, LAB_SHAPE(1), 0, 1, 1));
    ANSWER(lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(1), host));
    ANSWER(lab_array_from_host_async(&array, LAB_FLOAT32, LAB_SHAPE(1), host, all.stream));
    ANSWER(lab_array_copy(&array, all.array, all.stream));
    ANSWER(lab_array_astype(&array, all.array, LAB_INT8, all.stream));
    ANSWER(lab_array_fill(all.array, LAB_ARG(1), all.stream));
    ANSWER(lab_array_sum(all.one, all.array, all.stream));
    ANSWER(lab_array_mean(all.one, all.array, all.stream));
    ANSWER(lab_array_min(all.one, all.array, all.stream));
    ANSWER(lab_array_max(all.one, all.array, all.stream));
    ANSWER(lab_array_prod(all.one, all.array, all.stream));
    ANSWER(lab_array_argmin(all.place, all.array, all.stream));
    ANSWER(lab_array_argmax(all.place, all.array, all.stream));
    ANSWER(lab_array_any(all.truth, all.array, all.stream));
    ANSWER(lab_array_all(all.truth, all.array, all.stream));
    ANSWER(lab_array_sum_axis(all.one, all.array, 0, all.stream));
    ANSWER(lab_array_sum_axes(all.one, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_prod_axis(all.one, all.array, 0, all.stream));
    ANSWER(lab_array_prod_axes(all.one, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_mean_axis(all.one, all.array, 0, all.stream));
    ANSWER(lab_array_mean_axes(all.one, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_min_axis(all.one, all.array, 0, all.stream));
    ANSWER(lab_array_min_axes(all.one, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_max_axis(all.one, all.array, 0, all.stream));
    ANSWER(lab_array_max_axes(all.one, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_argmin_axis(all.place, all.array, 0, all.stream));
    ANSWER(lab_array_argmax_axis(all.place, all.array, 0, all.stream));
    ANSWER(lab_array_any_axis(all.truth, all.array, 0, all.stream));
    ANSWER(lab_array_any_axes(all.truth, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_all_axis(all.truth, all.array, 0, all.stream));
    ANSWER(lab_array_all_axes(all.truth, all.array, LAB_AXES(0), all.stream));
    ANSWER(lab_array_dot(all.one, all.array, all.array, all.stream));
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, arrays) { refuses_all_of(call_arrays); }

static lab_status do_nothing(void *user)
{
    (void)user;
    return LAB_SUCCESS;
}

static void call_kernels(void *user)
{
    (void)user;
    lab_cache_info cache;
    lab_benchmark_result *benchmark;
    lab_module *module;
    lab_deviceptr address;
    size_t bytes;
    lab_function function;
    lab_parameters parameters;
    lab_function_info function_info;
    lab_raw_args raw;
    lab_elementwise *elementwise;
    lab_reduction *reduction;
    lab_expression *expression;
    lab_dtype dtype;
    int number;
    const lab_reduction_source sum = everything_sum();
    ANSWER(lab_module_load_source(&module, "", NULL));
    ANSWER(lab_module_load_with(&module, "", NULL, NULL));
    ANSWER(lab_module_get_function(&function, all.module, "touch"));
    ANSWER(lab_module_get_global(&address, &bytes, all.module, "touched"));
    ANSWER(lab_function_get_parameters(&parameters, all.function));
    ANSWER(lab_function_get_info(&function_info, all.function));
    ANSWER(lab_args_raw(&raw, all.function, NULL));
    ANSWER(lab_module_unload(all.module));
    ANSWER(lab_launch(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(all.array)));
    ANSWER(lab_launch_cooperative(all.function, LAB_DIM(1), LAB_DIM(1), 0, all.stream, LAB_ARGS(all.array)));
    ANSWER(lab_module_load_file(&module, "touch.cu"));
    ANSWER(lab_reduction_launch_axis(all.reduction, 0, all.stream, LAB_ARGS(all.array, all.one)));
    ANSWER(lab_reduction_launch_axes(all.reduction, LAB_AXES(0), all.stream, LAB_ARGS(all.array, all.one)));
    ANSWER(lab_cache_get_info(&cache));
    ANSWER(lab_cache_clear());
    ANSWER(lab_benchmark(&benchmark, do_nothing, NULL, NULL));
    ANSWER(lab_range_push("x"));
    ANSWER(lab_range_push_color("x", 1));
    ANSWER(lab_range_pop());
    ANSWER(lab_module_get_device(&number, all.module));
    ANSWER(lab_elementwise_create_from(&elementwise,
                                       &(lab_elementwise_source){.inputs = "T x", .outputs = "T y", .body = "y = x"}));
    ANSWER(lab_elementwise_create(&elementwise, "T x", "T y", "y = x", NULL));
    ANSWER(lab_elementwise_launch(all.elementwise, all.stream, LAB_ARGS(all.array, all.array)));
    ANSWER(lab_elementwise_launch_sized(all.elementwise, 1, all.stream, LAB_ARGS(all.array, all.array)));
    ANSWER(lab_elementwise_destroy(all.elementwise));
    ANSWER(lab_reduction_create(&reduction, &sum));
    ANSWER(lab_reduction_launch(all.reduction, all.stream, LAB_ARGS(all.array, all.one)));
    ANSWER(lab_reduction_launch_sized(all.reduction, 1, all.stream, LAB_ARGS(all.array, all.one)));
    ANSWER(lab_reduction_destroy(all.reduction));
    ANSWER(lab_expression_create(&expression, "x", "x", NULL));
    ANSWER(lab_expression_dtype(&dtype, all.expression, LAB_ARGS(all.array)));
    ANSWER(lab_expression_result_dtype(&dtype, all.expression, 0, LAB_ARGS(all.array)));
    ANSWER(lab_expression_apply(all.expression, all.stream, LAB_ARGS(all.array, all.array)));
    ANSWER(lab_expression_destroy(all.expression));
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, kernels) { refuses_all_of(call_kernels); }

static void call_graphs(void *user)
{
    (void)user;
    lab_graph *graph;
    lab_graph_exec *exec;
    int number;
    lab_capture_status status;
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    lab_capture_mode mode = LAB_CAPTURE_GLOBAL;
    ANSWER(lab_stream_begin_capture(all.stream, mode));
    ANSWER(lab_stream_end_capture(&graph, all.stream));
    ANSWER(lab_stream_is_capturing(&status, all.stream));
    ANSWER(lab_thread_exchange_capture_mode(&mode));
    ANSWER(lab_graph_get_nodes(&node, &number, all.graph));
    ANSWER(lab_graph_get_edges(&edge, &number, all.graph));
    ANSWER(lab_graph_save_dot(all.graph, "never.dot"));
    ANSWER(lab_graph_instantiate(&exec, all.graph));
    ANSWER(lab_graph_launch(all.exec, all.stream));
    ANSWER(lab_graph_upload(all.exec, all.stream));
    ANSWER(lab_graph_exec_update_kernel(all.exec, 0, all.function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(all.array)));
    ANSWER(lab_graph_exec_destroy(all.exec));
    ANSWER(lab_graph_destroy(all.graph));
}

/* cuda.h, Execution Control: cuLaunchHostFunc must not make any CUDA API calls. */
Test(bad_input_host_function, graphs) { refuses_all_of(call_graphs); }
