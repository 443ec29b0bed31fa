/* Bad input that concerns every function alike: nowhere to put the result, calls from inside a host function (cuda.h,
 * cuLaunchHostFunc: "must not make any CUDA API calls"), and calls without the context they need. */
#include "gate.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "extern \"C\" __global__ void touch(int *out) { *out = 1; }\n";

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_VALUE. */
Test(bad_input, every_result_needs_somewhere_to_go)
{
    size_t bytes;
    lab_module *module;
    lab_function function;
    LAB_CHECK(lab_module_load_source(&module, source, NULL));
    LAB_CHECK(lab_module_get_function(&function, module, "touch"));
    cr_assert_eq(lab_mem_alloc(NULL, 64), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_alloc(NULL, 64), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_get_info(NULL, &bytes), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_mem_get_info(&bytes, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_array_empty(NULL, LAB_INT8, LAB_SHAPE(1)), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_load_source(NULL, source, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_load_file(NULL, "touch.cu"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_module_get_function(NULL, module, "touch"), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_get_id(NULL, NULL), LAB_ERROR_INVALID_VALUE);
}

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

/* What every call answers, one after another. */
typedef struct answers {
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_module *module;
    lab_function function;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_deviceptr memory;
    void *pinned;
    lab_status status[96];
    int count;
} answers;

static void answer(answers *to, lab_status status) { to->status[to->count++] = status; }

static void call_everything(void *user)
{
    answers *a = user;
    lab_device_info device_info;
    lab_context_info context_info;
    lab_context *context;
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_module *module;
    lab_function function;
    lab_graph *graph;
    lab_graph_exec *exec;
    lab_capture_mode mode = LAB_CAPTURE_GLOBAL;
    lab_capture_status status;
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    lab_deviceptr memory;
    void *pointer;
    size_t bytes, more_bytes;
    int number, other;
    float milliseconds, host[4];
    uint64_t id;
    unsigned flags;
    bool is;
    answer(a, lab_device_count(&number));
    answer(a, lab_device_get_info(&device_info, 0));
    answer(a, lab_device_current(&number));
    answer(a, lab_device_use(0));
    answer(a, lab_device_can_access_peer(&is, 0, 0));
    answer(a, lab_device_reset(0));
    answer(a, lab_device_synchronize());
    answer(a, lab_context_create(&context, 0));
    answer(a, lab_context_primary_retain(&context, 0));
    answer(a, lab_context_primary_release(0));
    answer(a, lab_context_pop(&context));
    answer(a, lab_context_set(NULL));
    answer(a, lab_context_synchronize(NULL));
    answer(a, lab_context_get_info(&context_info, NULL));
    answer(a, lab_stream_create(&stream, 0));
    answer(a, lab_stream_create_with_priority(&stream, 0, 0));
    answer(a, lab_stream_priority_range(&number, &other));
    answer(a, lab_stream_destroy(a->stream));
    answer(a, lab_stream_use(a->stream));
    answer(a, lab_stream_synchronize(a->stream));
    answer(a, lab_stream_query(a->stream));
    answer(a, lab_stream_get_id(&id, a->stream));
    answer(a, lab_stream_get_device(&number, a->stream));
    answer(a, lab_stream_get_context(&context, a->stream));
    answer(a, lab_stream_get_flags(&flags, a->stream));
    answer(a, lab_stream_get_priority(&number, a->stream));
    answer(a, lab_stream_is_equal(&is, a->stream, a->stream));
    answer(a, lab_stream_native(&pointer, a->stream));
    answer(a, lab_stream_from_native(&stream, NULL));
    answer(a, lab_stream_launch_host_func(a->stream, call_everything, a));
    answer(a, lab_event_create(&event, 0));
    answer(a, lab_event_destroy(a->event));
    answer(a, lab_event_get_device(&number, a->event));
    answer(a, lab_event_record(a->event, a->stream));
    answer(a, lab_event_query(a->event));
    answer(a, lab_event_synchronize(a->event));
    answer(a, lab_stream_wait_event(a->stream, a->event));
    answer(a, lab_event_elapsed_time(&milliseconds, a->event, a->event));
    answer(a, lab_mem_alloc(&memory, 64));
    answer(a, lab_mem_free(a->memory));
    answer(a, lab_mem_get_info(&bytes, &more_bytes));
    answer(a, lab_mem_get_device(&number, a->memory));
    answer(a, lab_host_alloc(&pointer, 64));
    answer(a, lab_host_free(a->pinned));
    answer(a, lab_host_register(host, sizeof host));
    answer(a, lab_host_unregister(host));
    answer(a, lab_memcpy_htod(a->memory, host, 4));
    answer(a, lab_memcpy_dtoh(host, a->memory, 4));
    answer(a, lab_memcpy_dtod_async(a->memory, a->memory, 4, a->stream));
    answer(a, lab_memcpy_peer(a->memory, 0, a->memory, 0, 4));
    answer(a, lab_memset_async(a->memory, 0, 4, a->stream));
    answer(a, lab_array_empty(&array, LAB_INT32, LAB_SHAPE(1)));
    answer(a, lab_array_destroy(a->array));
    answer(a, lab_array_set(a->array, host));
    answer(a, lab_array_get_async(a->array, host, a->stream));
    answer(a, lab_module_load_source(&module, source, NULL));
    answer(a, lab_module_get_function(&function, a->module, "touch"));
    answer(a, lab_module_unload(a->module));
    answer(a, lab_launch(a->function, LAB_DIM(1), LAB_DIM(1), 0, a->stream, LAB_ARGS(a->array)));
    answer(a, lab_stream_begin_capture(a->stream, mode));
    answer(a, lab_stream_end_capture(&graph, a->stream));
    answer(a, lab_stream_is_capturing(&status, a->stream));
    answer(a, lab_thread_exchange_capture_mode(&mode));
    answer(a, lab_graph_get_nodes(&node, &number, a->graph));
    answer(a, lab_graph_get_edges(&edge, &number, a->graph));
    answer(a, lab_graph_save_dot(a->graph, "never.dot"));
    answer(a, lab_graph_instantiate(&exec, a->graph));
    answer(a, lab_graph_launch(a->exec, a->stream));
    answer(a, lab_graph_exec_update_kernel(a->exec, 0, a->function, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(a->array)));
    answer(a, lab_graph_exec_destroy(a->exec));
    answer(a, lab_graph_destroy(a->graph));
}

static void make_one_of_each(answers *a)
{
    LAB_CHECK(lab_stream_create(&a->stream, 0));
    LAB_CHECK(lab_event_create(&a->event, 0));
    LAB_CHECK(lab_array_empty(&a->array, LAB_INT32, LAB_SHAPE(4)));
    LAB_CHECK(lab_module_load_source(&a->module, source, NULL));
    LAB_CHECK(lab_module_get_function(&a->function, a->module, "touch"));
    LAB_CHECK(lab_mem_alloc(&a->memory, 64));
    LAB_CHECK(lab_host_alloc(&a->pinned, 64));
    LAB_CHECK(lab_stream_begin_capture(a->stream, LAB_CAPTURE_RELAXED));
    LAB_CHECK(lab_stream_end_capture(&a->graph, a->stream));
    LAB_CHECK(lab_graph_instantiate(&a->exec, a->graph));
}

/* cuda.h, Execution Control: cuLaunchHostFunc. */
Test(bad_input, no_call_is_permitted_inside_a_host_function_and_none_has_an_effect)
{
    static answers a;
    make_one_of_each(&a);
    LAB_CHECK(lab_stream_launch_host_func(a.stream, call_everything, &a));
    LAB_CHECK(lab_stream_synchronize(a.stream));
    cr_assert_gt(a.count, 50);
    for (int i = 0; i < a.count; i++)
        cr_assert_eq(a.status[i], LAB_ERROR_NOT_PERMITTED, "call %d: %s", i + 1, lab_status_name(a.status[i]));
    LAB_CHECK(lab_launch(a.function, LAB_DIM(1), LAB_DIM(1), 0, a.stream, LAB_ARGS(a.array)));
    LAB_CHECK(lab_event_record(a.event, a.stream));
    LAB_CHECK(lab_event_synchronize(a.event));
    LAB_CHECK(lab_graph_exec_destroy(a.exec));
    LAB_CHECK(lab_graph_destroy(a.graph));
    LAB_CHECK(lab_module_unload(a.module));
    LAB_CHECK(lab_array_destroy(a.array));
    LAB_CHECK(lab_mem_free(a.memory));
    LAB_CHECK(lab_host_free(a.pinned));
    LAB_CHECK(lab_event_destroy(a.event));
    LAB_CHECK(lab_stream_destroy(a.stream));
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
