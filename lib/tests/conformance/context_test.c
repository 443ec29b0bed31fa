/* Contexts: the stack of a thread, the objects that belong to a context and end with it, and the uses that may cross
 * between two contexts (cuda.h, "Context Management" and "Primary Context Management"). */
#include "alone.h"
#include "gate.h"
#include "test.h"

#include <string.h>

static const char scale_source[] = "extern \"C\" __global__ void scale(float *values, float factor, int length)\n"
                                   "{\n"
                                   "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                   "    if (i < length) values[i] *= factor;\n"
                                   "}\n";

enum { COUNT = 1024 };

/* A new context on device 0 that is not on the stack. */
static lab_context *make_context(void)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_context_pop(NULL));
    return context;
}

static lab_context *primary(void)
{
    lab_context *context;
    LAB_CHECK(lab_context_primary_retain(&context, 0));
    return context;
}

static lab_stream *make_stream(lab_context *context)
{
    lab_stream *stream;
    LAB_CHECK(lab_context_push(context));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_context_pop(NULL));
    return stream;
}

static lab_event *make_event(lab_context *context)
{
    lab_event *event;
    LAB_CHECK(lab_context_push(context));
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_context_pop(NULL));
    return event;
}

static lab_array *make_array(lab_context *context)
{
    lab_array *array;
    LAB_CHECK(lab_context_push(context));
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_context_pop(NULL));
    return array;
}

static lab_function load_scale(lab_module **module)
{
    lab_function scale;
    LAB_CHECK(lab_module_load_source(module, scale_source, "scale.cu"));
    LAB_CHECK(lab_module_get_function(&scale, *module, "scale"));
    return scale;
}

static void set_flag(void *user) { atomic_store((atomic_bool *)user, true); }

/* ------------------------------------------------------------------------------------------------------
 * The stack
 */

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRetain. */
Test(context, the_primary_one_is_current_at_first) { cr_assert_eq(lab_context_current(), primary()); }

/* cuda.h, Context Management: cuCtxCreate. */
Test(context, create_makes_it_current_and_pop_brings_back_what_was)
{
    lab_context *before = lab_context_current(), *context, *popped;
    LAB_CHECK(lab_context_create(&context, 0));
    cr_assert_eq(lab_context_current(), context);
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, context);
    cr_assert_eq(lab_context_current(), before);
}

/* cuda.h, Context Management: cuCtxPopCurrent. */
Test(context, popping_does_not_destroy)
{
    lab_context *context;
    lab_context_info info;
    LAB_CHECK(lab_context_create(&context, 0));
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 1000));
    LAB_CHECK(lab_context_pop(NULL));
    LAB_CHECK(lab_context_get_info(&info, context));
    cr_assert_eq(info.allocations, 1u);
    LAB_CHECK(lab_memset_async(memory, 1, 1000, NULL));
    LAB_CHECK(lab_mem_free(memory));
}

/* cuda.h, Context Management: cuCtxPopCurrent. */
Test(context, a_stack_is_last_in_first_out)
{
    lab_context *first = make_context(), *second = make_context(), *popped;
    LAB_CHECK(lab_context_push(first));
    LAB_CHECK(lab_context_push(second));
    LAB_CHECK(lab_context_push(first));
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, first);
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, second);
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, first);
}

/* cuda.h, Context Management: cuCtxPopCurrent. */
Test(context, popping_an_empty_stack_is_an_invalid_context)
{
    lab_context *popped = primary();
    cr_assert_eq(lab_context_pop(&popped), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_null(popped);
    cr_assert_eq(lab_context_current(), primary());
}

/* cuda.h, Context Management: cuCtxSetCurrent. */
Test(context, set_replaces_the_top)
{
    lab_context *first = make_context(), *second = make_context(), *popped;
    LAB_CHECK(lab_context_push(first));
    LAB_CHECK(lab_context_set(second));
    cr_assert_eq(lab_context_current(), second);
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, second);
    cr_assert_eq(lab_context_pop(NULL), LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Context Management: cuCtxSetCurrent. */
Test(context, set_pushes_on_an_empty_stack)
{
    lab_context *context = make_context(), *popped;
    LAB_CHECK(lab_context_set(context));
    cr_assert_eq(lab_context_current(), context);
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, context);
}

/* cuda.h, Context Management: cuCtxSetCurrent. */
Test(context, setting_none_pops_or_does_nothing)
{
    LAB_CHECK(lab_context_push(make_context()));
    LAB_CHECK(lab_context_set(NULL));
    cr_assert_eq(lab_context_current(), primary());
    cr_assert_eq(lab_context_set(NULL), LAB_SUCCESS);
    cr_assert_eq(lab_context_current(), primary());
}

/* cuda.h, Context Management: cuCtxSetCurrent. */
Test(context, using_a_device_replaces_the_top_by_its_primary_context)
{
    lab_context *first = make_context(), *second = make_context(), *popped;
    LAB_CHECK(lab_context_push(first));
    LAB_CHECK(lab_context_push(second));
    LAB_CHECK(lab_device_use(0));
    cr_assert_eq(lab_context_current(), primary());
    LAB_CHECK(lab_context_pop(&popped));
    cr_assert_eq(popped, primary());
    cr_assert_eq(lab_context_current(), first);
}

/* cuda.h, Context Management: cuCtxPushCurrent. */
Test(context, a_device_scope_restores_an_own_context)
{
    lab_context *context = make_context();
    LAB_CHECK(lab_context_push(context));
    LAB_WITH_DEVICE(0)
    {
        cr_assert_eq(lab_context_current(), primary());
        LAB_CHECK(lab_context_push(context));
        break;
    }
    cr_assert_eq(lab_context_current(), context);
    LAB_CHECK(lab_context_pop(NULL));
    cr_assert_eq(lab_context_pop(NULL), LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Context Management: cuCtxPushCurrent. */
Test(context, a_full_stack_is_refused)
{
    lab_context *context = make_context();
    int pushed = 0;
    while (pushed < 1000 && lab_context_push(context) == LAB_SUCCESS) pushed++;
    cr_assert_geq(pushed, 16);
    if (pushed == 1000) return;
    cr_assert_eq(lab_context_push(context), LAB_ERROR_NOT_PERMITTED);
    lab_context *another;
    cr_assert_eq(lab_context_create(&another, 0), LAB_ERROR_NOT_PERMITTED);
    cr_assert_null(another);
    while (pushed-- > 0) LAB_CHECK(lab_context_pop(NULL));
    LAB_CHECK(lab_context_create(&another, 0));
}

static void *current_of_a_new_thread(void *user)
{
    *(lab_context **)user = lab_context_current();
    return NULL;
}

/* cuda.h, Context Management: cuCtxPushCurrent. */
Test(context, each_thread_has_its_own_stack)
{
    lab_context *of_thread = NULL;
    pthread_t thread;
    LAB_CHECK(lab_context_push(make_context()));
    cr_assert_eq(pthread_create(&thread, NULL, current_of_a_new_thread, &of_thread), 0);
    pthread_join(thread, NULL);
    cr_assert_eq(of_thread, primary());
}

typedef struct shared_use {
    lab_context *context;
    lab_array *array;
} shared_use;

static void *fill_in_context(void *user)
{
    shared_use *use = user;
    float host[COUNT];
    for (int i = 0; i < COUNT; i++) host[i] = (float)i;
    LAB_CHECK(lab_context_push(use->context));
    LAB_CHECK(lab_array_empty(&use->array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_set(use->array, host));
    LAB_CHECK(lab_context_pop(NULL));
    return NULL;
}

/* cuda.h, Context Management: cuCtxPushCurrent. */
Test(context, one_may_be_current_to_another_thread_afterwards_with_all_it_holds)
{
    shared_use use = {.context = make_context()};
    pthread_t thread;
    float host[COUNT];
    cr_assert_eq(pthread_create(&thread, NULL, fill_in_context, &use), 0);
    pthread_join(thread, NULL);
    LAB_CHECK(lab_context_push(use.context));
    LAB_CHECK(lab_array_get(use.array, host));
    cr_assert_eq(host[COUNT - 1], (float)(COUNT - 1));
}

/* ------------------------------------------------------------------------------------------------------
 * Objects of a context
 */

/* cuda.h, Context Management: cuCtxGetId. */
Test(context, ids_are_never_used_again)
{
    lab_context_info first, second, of_primary;
    lab_context *context = make_context();
    LAB_CHECK(lab_context_get_info(&first, context));
    LAB_CHECK(lab_context_destroy(context));
    LAB_CHECK(lab_context_get_info(&second, make_context()));
    LAB_CHECK(lab_context_get_info(&of_primary, NULL));
    cr_assert_neq(first.id, second.id);
    cr_assert_neq(of_primary.id, second.id);
    cr_assert(of_primary.primary);
    cr_assert_not(second.primary);
    cr_assert_eq(second.device, 0);
}

/* cuda.h, Memory Management: cuMemGetInfo. */
Test(context, memory_is_counted_for_each)
{
    lab_context *context;
    lab_context_info own, of_primary;
    lab_deviceptr memory;
    void *pinned;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_mem_alloc(&memory, 4096));
    LAB_CHECK(lab_host_alloc(&pinned, 8192));
    LAB_CHECK(lab_context_get_info(&own, context));
    LAB_CHECK(lab_context_get_info(&of_primary, primary()));
    cr_assert_eq(own.device_bytes, 4096u);
    cr_assert_eq(own.pinned_bytes, 8192u);
    cr_assert_eq(own.pinned_allocations, 1u);
    cr_assert_eq(of_primary.device_bytes, 0u);
    LAB_CHECK(lab_mem_free(memory));
    LAB_CHECK(lab_host_free(pinned));
    LAB_CHECK(lab_context_get_info(&own, context));
    cr_assert_eq(own.device_bytes + own.pinned_bytes, 0u);
}

/* CUDA Driver API, Stream synchronization behavior: one of each context. */
Test(context, each_has_its_own_null_stream)
{
    gate closed = GATE_CLOSED;
    lab_stream *of_primary = lab_stream_null();
    lab_context *context, *of_stream;
    LAB_CHECK(lab_context_create(&context, 0));
    lab_stream *own = lab_stream_null();
    cr_assert_neq(own, of_primary);
    LAB_CHECK(lab_stream_get_context(&of_stream, own));
    cr_assert_eq(of_stream, context);
    gate_close_stream(&closed, of_primary);
    cr_assert_eq(lab_stream_synchronize(own), LAB_SUCCESS);
    cr_assert_eq(lab_stream_query(of_primary), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of_primary));
}

/* CUDA Driver API, Stream synchronization behavior: one of each context. */
Test(context, blocking_streams_are_ordered_with_the_null_stream_of_their_own_context_only)
{
    gate closed = GATE_CLOSED;
    lab_stream *blocking;
    atomic_bool ran = false;
    gate_close_stream(&closed, lab_stream_null());
    LAB_CHECK(lab_context_push(make_context()));
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_memset_async(memory, 1, 64, blocking));
    LAB_CHECK(lab_stream_synchronize(blocking));
    gate_open(&closed);
    LAB_CHECK(lab_stream_launch_host_func(blocking, set_flag, &ran));
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    cr_assert(atomic_load(&ran));
}

/* CUDA Driver API, Stream synchronization behavior: one of each context. */
Test(context, each_has_the_threads_own_default_stream)
{
    lab_stream *of_primary = lab_stream_per_thread();
    lab_context *context = make_context(), *of_stream;
    LAB_CHECK(lab_context_push(context));
    lab_stream *own = lab_stream_per_thread();
    cr_assert_neq(own, of_primary);
    LAB_CHECK(lab_stream_get_context(&of_stream, own));
    cr_assert_eq(of_stream, context);
    LAB_CHECK(lab_context_pop(NULL));
    cr_assert_eq(lab_stream_per_thread(), of_primary);
}

/* CuPy, Stream: the current stream. */
Test(context, each_has_the_threads_current_stream)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_use(stream));
    LAB_CHECK(lab_context_push(make_context()));
    cr_assert_eq(lab_stream_current(), lab_stream_null());
    LAB_CHECK(lab_context_pop(NULL));
    cr_assert_eq(lab_stream_current(), stream);
}

/* cuda.h, Context Management: cuCtxSynchronize. */
Test(context, synchronize_waits_for_its_own_work_only)
{
    gate closed = GATE_CLOSED;
    lab_context *context = make_context();
    lab_stream *held = make_stream(context), *free_stream = make_stream(primary());
    gate_close_stream(&closed, held);
    LAB_CHECK(lab_stream_synchronize(free_stream));
    LAB_CHECK(lab_context_synchronize(NULL));
    LAB_CHECK(lab_context_synchronize(primary()));
    cr_assert_eq(lab_stream_query(held), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_context_synchronize(context));
    cr_assert_eq(lab_stream_query(held), LAB_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------
 * Uses that may cross, and uses that are refused
 */

/* H100, CUDA 13.0, the driver's answer on the null stream, a created and the per-thread one: cuLaunchKernel. */
Test(context, a_kernel_is_refused_on_a_stream_of_another)
{
    lab_module *module;
    lab_function scale = load_scale(&module);
    lab_context *context = make_context();
    lab_array *array = make_array(context);
    lab_status status =
        lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, make_stream(context), LAB_ARGS(array, 2.0f, COUNT));
    cr_assert_eq(status, LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "'scale'"), "%s", lab_error_message());
    cr_assert_not_null(strstr(lab_error_message(), "primary context"), "%s", lab_error_message());
}

/* cuda.h, Execution Control: cuLaunchKernel. */
Test(context, a_kernel_is_refused_memory_of_another)
{
    lab_module *module;
    lab_function scale = load_scale(&module);
    lab_array *array = make_array(make_context());
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(array, 2.0f, COUNT)),
                 LAB_ERROR_INVALID_CONTEXT);
    cr_assert_not_null(strstr(lab_error_message(), "'values'"), "%s", lab_error_message());
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(lab_array_data(array), 2.0f, COUNT)),
                 LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Peer Context Memory Access: cuCtxEnablePeerAccess. */
Test(context, contexts_of_one_device_have_no_peer_access)
{
    cr_assert_eq(lab_context_enable_peer_access(make_context()), LAB_ERROR_PEER_ACCESS_UNSUPPORTED);
}

/* cuda.h, Event Management: cuEventRecord: event and stream are of one context. */
Test(context, an_event_is_not_recorded_on_a_stream_of_another)
{
    lab_context *context = make_context();
    cr_assert_eq(lab_event_record(make_event(primary()), make_stream(context)), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "waiting may cross"), "%s", lab_error_message());
    cr_assert_eq(lab_event_record(make_event(context), lab_stream_null()), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(context, a_stream_waits_for_an_event_of_another)
{
    gate closed = GATE_CLOSED;
    lab_context *context = make_context();
    lab_stream *producer = make_stream(context), *consumer = make_stream(primary());
    lab_event *event = make_event(context);
    atomic_bool ran = false;
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    LAB_CHECK(lab_stream_launch_host_func(consumer, set_flag, &ran));
    cr_assert_eq(lab_stream_query(consumer), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(consumer));
    cr_assert(atomic_load(&ran));
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(context, events_and_streams_of_another_may_be_asked_waited_for_and_destroyed)
{
    lab_context *context = make_context();
    lab_stream *stream = make_stream(context);
    lab_event *event = make_event(context);
    LAB_CHECK(lab_event_record(event, stream));
    cr_assert_eq(lab_event_synchronize(event), LAB_SUCCESS);
    cr_assert_eq(lab_event_query(event), LAB_SUCCESS);
    cr_assert_eq(lab_stream_synchronize(stream), LAB_SUCCESS);
    cr_assert_eq(lab_event_destroy(event), LAB_SUCCESS);
    cr_assert_eq(lab_stream_destroy(stream), LAB_SUCCESS);
}

/* cuda.h, Event Management: cuEventElapsedTime. */
Test(context, elapsed_time_between_two_is_an_invalid_handle)
{
    lab_context *context = make_context();
    lab_stream *stream = make_stream(context);
    lab_event *start = make_event(primary()), *end = make_event(context);
    float milliseconds;
    LAB_CHECK(lab_event_record(start, lab_stream_null()));
    LAB_CHECK(lab_event_record(end, stream));
    LAB_CHECK(lab_event_synchronize(start));
    LAB_CHECK(lab_event_synchronize(end));
    cr_assert_eq(lab_event_elapsed_time(&milliseconds, start, end), LAB_ERROR_INVALID_HANDLE);
    cr_assert_not_null(strstr(lab_error_message(), "primary context"), "%s", lab_error_message());
}

/* cuda.h, Memory Management: cuMemcpyPeer. */
Test(context, copies_may_cross)
{
    lab_array *own = make_array(make_context()), *of_primary = make_array(primary());
    float host[COUNT], back[COUNT] = {0};
    for (int i = 0; i < COUNT; i++) host[i] = (float)(3 * i);
    LAB_CHECK(lab_array_set(own, host));
    LAB_CHECK(lab_memcpy_dtod_async(lab_array_data(of_primary), lab_array_data(own), sizeof host, NULL));
    LAB_CHECK(lab_array_get(of_primary, back));
    cr_assert_arr_eq(back, host, sizeof host);
}

/* CuPy, Stream: the current stream. */
Test(context, a_stream_of_another_cannot_be_made_current)
{
    lab_stream *stream = make_stream(make_context());
    cr_assert_eq(lab_stream_use(stream), LAB_ERROR_INVALID_CONTEXT);
    LAB_WITH_STREAM(stream) cr_assert_eq(lab_stream_synchronize(NULL), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_eq(lab_stream_synchronize(NULL), LAB_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------
 * The end
 */

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, what_belongs_to_a_destroyed_one_is_an_invalid_handle)
{
    lab_context *context;
    lab_module *module;
    LAB_CHECK(lab_context_create(&context, 0));
    lab_function scale = load_scale(&module);
    lab_array *array = make_array(context);
    lab_stream *stream = make_stream(context), *null_stream = lab_stream_null(), *per_thread = lab_stream_per_thread();
    lab_event *event = make_event(context);
    lab_deviceptr memory;
    void *pinned;
    LAB_CHECK(lab_mem_alloc(&memory, 64));
    LAB_CHECK(lab_host_alloc(&pinned, 64));
    LAB_CHECK(lab_context_destroy(context));
    lab_function again;
    lab_array *on_primary = make_array(primary());
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(null_stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_stream_query(per_thread), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_event_query(event), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_destroy(array), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_array_data(array), 0ull);
    cr_assert_eq(lab_module_get_function(&again, module, "scale"), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_module_unload(module), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_launch(scale, LAB_DIM(1), LAB_DIM(64), 0, NULL, LAB_ARGS(on_primary, 2.0f, COUNT)),
                 LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_mem_free(memory), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_host_free(pinned), LAB_ERROR_INVALID_VALUE);
    cr_assert_neq(lab_stream_per_thread(), NULL);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, destroying_one_gives_its_memory_back)
{
    size_t before, after, total;
    lab_context *context;
    LAB_CHECK(lab_mem_get_info(&before, &total));
    LAB_CHECK(lab_context_create(&context, 0));
    lab_deviceptr memory;
    for (int i = 0; i < 20; i++) LAB_CHECK(lab_mem_alloc(&memory, 100000));
    LAB_CHECK(lab_context_destroy(context));
    LAB_CHECK(lab_mem_get_info(&after, &total));
    if (memory_is_ours()) cr_assert_eq(after, before);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, destroying_one_unpins_what_it_pinned)
{
    static char memory[8192];
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_host_register(memory, sizeof memory));
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_host_unregister(memory), LAB_ERROR_HOST_MEMORY_NOT_REGISTERED);
    LAB_CHECK(lab_host_register(memory, sizeof memory));
    LAB_CHECK(lab_host_unregister(memory));
}

static void *open_gate(void *closed)
{
    gate_open(closed);
    return NULL;
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, destroying_one_finishes_its_work_first)
{
    gate closed = GATE_CLOSED;
    lab_context *context = make_context();
    lab_stream *stream = make_stream(context);
    atomic_bool ran = false;
    gate_close_stream(&closed, stream);
    LAB_CHECK(lab_stream_launch_host_func(stream, set_flag, &ran));
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, open_gate, &closed), 0);
    cr_assert_eq(lab_context_destroy(context), LAB_SUCCESS);
    cr_assert(atomic_load(&ran));
    pthread_join(thread, NULL);
}

/* cuda.h, Stream Management: cuStreamWaitEvent. */
Test(context, a_wait_for_an_event_outlives_the_events_context)
{
    gate closed = GATE_CLOSED;
    lab_context *context = make_context();
    lab_stream *producer = make_stream(context), *consumer = make_stream(primary());
    lab_event *event = make_event(context);
    gate_close_stream(&closed, producer);
    LAB_CHECK(lab_event_record(event, producer));
    LAB_CHECK(lab_stream_wait_event(consumer, event));
    gate_open(&closed);
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_stream_synchronize(consumer), LAB_SUCCESS);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, destroying_the_current_one_pops_it)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_context_current(), primary());
    cr_assert_eq(lab_context_pop(NULL), LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, destroying_one_deeper_in_the_stack_leaves_it_there_destroyed)
{
    lab_context *below = make_context(), *above = make_context(), *popped;
    lab_deviceptr memory;
    LAB_CHECK(lab_context_push(below));
    LAB_CHECK(lab_context_push(above));
    LAB_CHECK(lab_context_destroy(below));
    cr_assert_eq(lab_context_current(), above);
    LAB_CHECK(lab_context_pop(NULL));
    cr_assert_eq(lab_mem_alloc(&memory, 64), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_null(lab_context_current());
    cr_assert_eq(lab_context_pop(&popped), LAB_SUCCESS);
    cr_assert_eq(lab_context_current(), primary());
}

typedef struct other_thread {
    lab_context *context;
    pthread_barrier_t destroyed;
    lab_status alloc_status;
} other_thread;

static void *stay_in_context(void *user)
{
    other_thread *other = user;
    lab_deviceptr memory;
    LAB_CHECK(lab_context_push(other->context));
    pthread_barrier_wait(&other->destroyed);
    pthread_barrier_wait(&other->destroyed);
    other->alloc_status = lab_mem_alloc(&memory, 64);
    return NULL;
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, a_destroyed_one_stays_current_to_other_threads_and_is_refused_there)
{
    other_thread other = {.context = make_context()};
    pthread_barrier_init(&other.destroyed, NULL, 2);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, stay_in_context, &other), 0);
    pthread_barrier_wait(&other.destroyed);
    LAB_CHECK(lab_context_destroy(other.context));
    pthread_barrier_wait(&other.destroyed);
    pthread_join(thread, NULL);
    cr_assert_eq(other.alloc_status, LAB_ERROR_CONTEXT_IS_DESTROYED);
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, using_a_destroyed_one_is_named)
{
    lab_context *context = make_context();
    lab_context_info info;
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_context_destroy(context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_context_push(context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_context_set(context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_context_synchronize(context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_context_get_info(&info, context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_eq(lab_context_enable_peer_access(context), LAB_ERROR_CONTEXT_IS_DESTROYED);
    cr_assert_not_null(strstr(lab_error_message(), "lab_context_enable_peer_access"), "%s", lab_error_message());
    cr_assert_eq(lab_context_current(), primary());
}

/* cuda.h, Context Management: cuCtxDestroy. */
Test(context, no_context_is_refused)
{
    cr_assert_eq(lab_context_destroy(NULL), LAB_SUCCESS);
    cr_assert_eq(lab_context_push(NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_context_create(NULL, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_context_primary_retain(NULL, 0), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_context_get_info(NULL, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_stream_get_context(NULL, NULL), LAB_ERROR_INVALID_VALUE);
}

/* ------------------------------------------------------------------------------------------------------
 * Primary contexts
 */

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRelease. */
Test(context, a_primary_one_cannot_be_destroyed)
{
    cr_assert_eq(lab_context_destroy(primary()), LAB_ERROR_INVALID_CONTEXT);
    cr_assert_not_null(strstr(lab_error_message(), "lab_device_reset"), "%s", lab_error_message());
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, 64));
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRetain. */
Test(context, retaining_a_primary_one_does_not_make_it_current)
{
    lab_context *own;
    LAB_CHECK(lab_context_create(&own, 0));
    primary();
    cr_assert_eq(lab_context_current(), own);
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRetain. */
Test(context, every_retain_gives_the_same_primary_one) { cr_assert_eq(primary(), primary()); }

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRelease. */
Test(context, a_release_needs_a_retain)
{
    cr_assert_eq(lab_context_primary_release(0), LAB_ERROR_INVALID_CONTEXT);
    primary();
    cr_assert_eq(lab_context_primary_release(0), LAB_SUCCESS);
    cr_assert_eq(lab_context_primary_release(0), LAB_ERROR_INVALID_CONTEXT);
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRelease. */
Test(context, the_last_release_ends_what_belongs_to_the_primary_one)
{
    lab_context *retained = primary();
    LAB_CHECK(lab_context_push(retained));
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    primary();
    LAB_CHECK(lab_context_primary_release(0));
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
    LAB_CHECK(lab_context_primary_release(0));
    cr_assert_eq(lab_stream_query(stream), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRelease. */
Test(context, the_last_release_keeps_a_primary_one_that_a_thread_uses_by_number)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    primary();
    LAB_CHECK(lab_context_primary_release(0));
    cr_assert_eq(lab_stream_query(stream), LAB_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------
 * A context, a compilation and an array for each thread
 */

enum { THREADS = 10 };

typedef struct worker {
    pthread_t thread;
    bool own_context;
    int number;
    float input[COUNT], output[COUNT];
} worker;

static void *scale_in_thread(void *user)
{
    worker *self = user;
    lab_context *context = NULL;
    lab_module *module;
    lab_array *array;
    if (self->own_context) LAB_CHECK(lab_context_create(&context, 0));
    lab_function scale = load_scale(&module);
    LAB_CHECK(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(COUNT)));
    LAB_CHECK(lab_array_set(array, self->input));
    LAB_CHECK(
        lab_launch(scale, LAB_DIM(COUNT / 64), LAB_DIM(64), 0, NULL, LAB_ARGS(array, (float)self->number, COUNT)));
    LAB_CHECK(lab_array_get(array, self->output));
    if (self->own_context) {
        LAB_CHECK(lab_context_destroy(context));
        return NULL;
    }
    LAB_CHECK(lab_array_destroy(array));
    LAB_CHECK(lab_module_unload(module));
    return NULL;
}

static void run_workers(bool own_context)
{
    static worker all[THREADS];
    for (int k = 0; k < THREADS; k++) {
        all[k].own_context = own_context;
        all[k].number = k + 2;
        for (int i = 0; i < COUNT; i++) all[k].input[i] = (float)(i + 1000 * k);
        cr_assert_eq(pthread_create(&all[k].thread, NULL, scale_in_thread, &all[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) pthread_join(all[k].thread, NULL);
    for (int k = 0; k < THREADS; k++)
        for (int i = 0; i < COUNT; i++)
            cr_assert_eq(all[k].output[i], all[k].input[i] * (float)(k + 2), "thread %d, element %d: %f", k, i,
                         all[k].output[i]);
}

/* cuda.h, Context Management: cuCtxCreate. */
Test(context, ten_threads_each_with_one_of_their_own) { run_workers(true); }

/* cuda.h, Primary Context Management: cuDevicePrimaryCtxRelease. */
Test(context, ten_threads_on_the_primary_one) { run_workers(false); }

/* A thread that makes calls in a context until one fails. */
typedef struct busy_thread {
    lab_context *context;
    atomic_int calls; /* that have begun */
    lab_status failed;
} busy_thread;

static void *make_things_in(void *user)
{
    busy_thread *busy = user;
    lab_module *module;
    lab_stream *stream;
    lab_event *event;
    lab_array *array;
    lab_deviceptr memory;
    void *pinned;
    lab_context_info info;
    char source[512]; /* which nothing has compiled before, so that loading it takes time */
    snprintf(source, sizeof source, "%s// %d\n", scale_source, (int)getpid());
    busy->failed = lab_context_set(busy->context);
    while (busy->failed == LAB_SUCCESS) {
        switch (atomic_fetch_add(&busy->calls, 1) % 8) {
        case 0: busy->failed = lab_module_load_source(&module, source, NULL); break;
        case 1: busy->failed = lab_stream_create(&stream, LAB_STREAM_DEFAULT); break;
        case 2: busy->failed = lab_event_create(&event, LAB_EVENT_DEFAULT); break;
        case 3: busy->failed = lab_mem_alloc(&memory, 1000); break;
        case 4: busy->failed = lab_host_alloc(&pinned, 1000); break;
        case 5: busy->failed = lab_array_empty(&array, LAB_INT32, LAB_SHAPE(100)); break;
        case 6: busy->failed = lab_context_get_info(&info, NULL); break;
        default: busy->failed = lab_device_synchronize(); break;
        }
    }
    atomic_fetch_add(&busy->calls, 8); /* nobody waits for more */
    lab_context_pop(NULL);
    return NULL;
}

/* lab.h, Contexts: a destroyed context is a status, also for a call of another thread that has begun in it. */
Test(context, another_threads_calls_in_one_that_is_destroyed_get_a_status)
{
    static const int calls[] = {0, 1, 2, 6}; /* that have begun when the context is destroyed; 1 is the compiler's */
    for (int round = 0; round < 4; round++) {
        busy_thread busy = {0};
        pthread_t thread;
        LAB_CHECK(lab_context_create(&busy.context, 0));
        cr_assert_eq(pthread_create(&thread, NULL, make_things_in, &busy), 0);
        while (atomic_load(&busy.calls) < calls[round]) sched_yield();
        if (calls[round] == 1) usleep(20000);
        LAB_CHECK(lab_context_destroy(busy.context));
        pthread_join(thread, NULL);
        cr_assert_eq(busy.failed, LAB_ERROR_CONTEXT_IS_DESTROYED, "%d calls: %s", calls[round],
                     lab_status_text(busy.failed));
    }
}
