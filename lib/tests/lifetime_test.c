/* One thread destroys an object again and again while others call with its handle. A call that found the object before
 * ends as if it had come first, or fails with the status of a destroyed handle; nothing that it uses is freed under it.
 *
 * On the CPU device alone: the driver leaves destroying under use undefined. The address sanitizer finds what a test
 * without it may not. */
#include "lab.h"
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WORKERS = 3, MOST_CALLS = 8, FEW = 8, MANY = 16, LOOKS = 6, WRITTEN = 4096 };

static const char SOURCE[] = "__device__ int counter;\n"
                             "extern \"C\" __global__ void bump(int *cell)\n"
                             "{\n"
                             "    atomicAdd(cell, 1);\n"
                             "}\n";

/* What the workers call with: the object that the test destroys, and others that stay. */
static _Atomic(void *) victim, companion;
static lab_function bump;
static lab_module *kept_module;
static lab_stream *kept_stream;
static lab_event *kept_event;
static lab_deviceptr cell, written;

typedef lab_status user_call(void *victim);
static user_call *calls[MOST_CALLS];
static lab_status also_allowed[4]; /* besides success and the statuses of a handle that was destroyed */
static atomic_bool over;
static atomic_int rounds_seen[WORKERS];
static atomic_int unexpected;
static _Atomic(user_call *) unexpected_call;

static bool is_allowed(lab_status status)
{
    for (size_t i = 0; i < sizeof also_allowed / sizeof *also_allowed; i++)
        if (also_allowed[i] && status == also_allowed[i]) return true;
    return status == LAB_SUCCESS || status == LAB_ERROR_NOT_READY || status == LAB_ERROR_INVALID_HANDLE;
}

static void *work(void *user)
{
    for (unsigned turn = 0; !atomic_load(&over); turn++) {
        user_call *call = calls[turn % MOST_CALLS];
        void *object = atomic_load(&victim);
        if (!call || !object) continue;
        lab_status status = call(object);
        if (!is_allowed(status)) {
            atomic_store(&unexpected_call, call);
            atomic_store(&unexpected, (int)status);
        }
        atomic_fetch_add((atomic_int *)user, 1);
    }
    return NULL;
}

static void set_up(void)
{
    setenv("LAB_DEVICE", "cpu", 1);
    LAB_CHECK(lab_module_load_source(&kept_module, SOURCE, "lifetime_test.cu"));
    LAB_CHECK(lab_module_get_function(&bump, kept_module, "bump"));
    LAB_CHECK(lab_stream_create(&kept_stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&kept_event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(kept_event, kept_stream));
    LAB_CHECK(lab_mem_alloc(&cell, 256));
    LAB_CHECK(lab_mem_alloc(&written, WRITTEN * 256));
}

/* Lets every worker make some calls with the object. */
static void let_workers_call(void)
{
    for (int i = 0; i < WORKERS; i++) {
        const int before = atomic_load(&rounds_seen[i]);
        while (atomic_load(&rounds_seen[i]) - before < LOOKS && !atomic_load(&unexpected)) sched_yield();
    }
}

/* Makes an object and destroys it while the workers use it, so many times. */
static void destroy_under_use(int rounds, void *(*make)(void), void (*destroy)(void *object))
{
    pthread_t thread[WORKERS];
    for (int i = 0; i < WORKERS; i++) cr_assert_eq(pthread_create(&thread[i], NULL, work, &rounds_seen[i]), 0);
    for (int i = 0; i < rounds && !atomic_load(&unexpected); i++) {
        void *object = make();
        atomic_store(&victim, object);
        let_workers_call();
        destroy(object);
    }
    atomic_store(&over, true);
    for (int i = 0; i < WORKERS; i++) pthread_join(thread[i], NULL);
    int which = 0;
    while (calls[which] != atomic_load(&unexpected_call) && which < MOST_CALLS - 1) which++;
    cr_assert_eq(atomic_load(&unexpected), LAB_SUCCESS, "call %d answered %s", which,
                 lab_status_name((lab_status)atomic_load(&unexpected)));
    LAB_CHECK(lab_device_synchronize());
}

static lab_status launch_on(lab_stream *stream)
{
    return lab_launch(bump, LAB_DIM(2), LAB_DIM(4), 0, stream, LAB_ARGS(cell));
}

/* ---- Streams ---- */

static void *make_stream(void)
{
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    return stream;
}

static void destroy_stream(void *stream) { LAB_CHECK(lab_stream_destroy(stream)); }

/* Streams that nothing orders write next to each other, and not to the same bytes. */
static lab_deviceptr next_written(void)
{
    static atomic_uint next;
    return written + atomic_fetch_add(&next, 1) % WRITTEN * 256;
}

static lab_status launch(void *stream) { return launch_on(stream); }
static lab_status fill(void *stream) { return lab_memset_async(next_written(), 0, 256, stream); }
static lab_status synchronize(void *stream) { return lab_stream_synchronize(stream); }
static lab_status query(void *stream) { return lab_stream_query(stream); }
static lab_status wait_for_kept(void *stream) { return lab_stream_wait_event(stream, kept_event); }
static lab_status record_kept(void *stream) { return lab_event_record(kept_event, stream); }
static lab_status copy_pageable(void *stream)
{
    int zero[64] = {0};
    return lab_memcpy_htod_async(next_written(), zero, sizeof zero, stream);
}
static void do_nothing(void *user) { (void)user; }
static lab_status call_host(void *stream) { return lab_stream_launch_host_func(stream, do_nothing, NULL); }

Test(lifetime, of_a_stream_lasts_as_long_as_the_calls_on_it)
{
    set_up();
    user_call *all[] = {launch, fill, synchronize, query, wait_for_kept, record_kept, copy_pageable, call_host};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_stream, destroy_stream);
}

static lab_status pool_alloc(void *stream)
{
    lab_deviceptr memory;
    LAB_TRY(lab_mempool_alloc(&memory, NULL, 4096, stream));
    LAB_TRY(lab_mempool_record_stream(NULL, memory, kept_stream));
    return lab_mempool_free(NULL, memory, kept_stream);
}

Test(lifetime, of_a_stream_lasts_as_long_as_pools_allocate_on_it)
{
    set_up();
    user_call *all[] = {pool_alloc, launch};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_stream, destroy_stream);
}

static lab_status capture(void *stream)
{
    lab_graph *graph;
    LAB_TRY(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    launch_on(stream);
    lab_status status = lab_stream_end_capture(&graph, stream);
    return status == LAB_SUCCESS ? lab_graph_destroy(graph) : status;
}

static lab_status ask_capture(void *stream)
{
    lab_capture_status status;
    return lab_stream_is_capturing(&status, stream);
}

/* The workers disturb each other's captures too. */
Test(lifetime, of_a_stream_lasts_as_long_as_its_capture_is_used)
{
    set_up();
    user_call *all[] = {capture, ask_capture, wait_for_kept};
    memcpy(calls, all, sizeof all);
    lab_status disturbed[] = {LAB_ERROR_ILLEGAL_STATE, LAB_ERROR_STREAM_CAPTURE_INVALIDATED,
                              LAB_ERROR_STREAM_CAPTURE_ISOLATION};
    memcpy(also_allowed, disturbed, sizeof disturbed);
    destroy_under_use(MANY, make_stream, destroy_stream);
}

/* ---- Events ---- */

static void *make_event(void)
{
    lab_event *event;
    LAB_CHECK(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_CHECK(lab_event_record(event, kept_stream));
    return event;
}

static void destroy_event(void *event) { LAB_CHECK(lab_event_destroy(event)); }

static lab_status record_event(void *event) { return lab_event_record(event, kept_stream); }
static lab_status query_event(void *event) { return lab_event_query(event); }
static lab_status synchronize_event(void *event) { return lab_event_synchronize(event); }
static lab_status wait_for_event(void *event) { return lab_stream_wait_event(kept_stream, event); }
static lab_status measure(void *event)
{
    float milliseconds;
    return lab_event_elapsed_time(&milliseconds, event, event);
}

Test(lifetime, of_an_event_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {record_event, query_event, synchronize_event, wait_for_event, measure};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_event, destroy_event);
}

/* ---- Pools ---- */

static void *make_pool(void)
{
    lab_mempool *pool;
    LAB_CHECK(lab_mempool_create(&pool, NULL));
    return pool;
}

/* A pool is not destroyed while blocks are in use. */
static void destroy_pool(void *pool)
{
    lab_status status;
    while ((status = lab_mempool_destroy(pool)) == LAB_ERROR_NOT_PERMITTED) sched_yield();
    LAB_CHECK(status);
}

static lab_status allocate(void *pool)
{
    lab_deviceptr memory;
    LAB_TRY(lab_mempool_alloc(&memory, pool, 4096, kept_stream));
    LAB_TRY(lab_memset_async(memory, 0, 4096, kept_stream));
    return lab_mempool_free(pool, memory, kept_stream);
}

static lab_status ask_pool(void *pool)
{
    (void)lab_mempool_total_bytes(pool);
    return lab_mempool_set_limit(pool, 0);
}

static lab_status free_blocks(void *pool) { return lab_mempool_free_all_blocks(pool); }

Test(lifetime, of_a_pool_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {allocate, ask_pool, free_blocks, ask_pool};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_pool, destroy_pool);
}

static void *make_pinned_pool(void)
{
    lab_pinned_mempool *pool;
    LAB_CHECK(lab_pinned_mempool_create(&pool));
    return pool;
}

static void destroy_pinned_pool(void *pool)
{
    lab_status status;
    while ((status = lab_pinned_mempool_destroy(pool)) == LAB_ERROR_NOT_PERMITTED) sched_yield();
    LAB_CHECK(status);
}

static lab_status allocate_pinned(void *pool)
{
    void *memory;
    LAB_TRY(lab_pinned_mempool_alloc(&memory, pool, 4096));
    return lab_pinned_mempool_free(pool, memory);
}

static lab_status ask_pinned_pool(void *pool)
{
    (void)lab_pinned_mempool_total_bytes(pool);
    return LAB_SUCCESS;
}

static lab_status free_pinned_blocks(void *pool) { return lab_pinned_mempool_free_all_blocks(pool); }

Test(lifetime, of_a_pinned_pool_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {allocate_pinned, ask_pinned_pool, free_pinned_blocks, ask_pinned_pool};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_pinned_pool, destroy_pinned_pool);
}

/* ---- Graphs ---- */

static void *make_graph(void)
{
    lab_graph *graph;
    lab_stream *stream;
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    for (int i = 0; i < 4; i++) LAB_CHECK(launch_on(stream));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    LAB_CHECK(lab_stream_destroy(stream));
    return graph;
}

static void destroy_graph(void *graph) { LAB_CHECK(lab_graph_destroy(graph)); }

static lab_status instantiate(void *graph)
{
    lab_graph_exec *exec;
    LAB_TRY(lab_graph_instantiate(&exec, graph));
    return lab_graph_exec_destroy(exec);
}

static lab_status count_nodes(void *graph)
{
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes, edges;
    LAB_TRY(lab_graph_get_nodes(&node, &nodes, graph));
    return lab_graph_get_edges(&edge, &edges, graph);
}

Test(lifetime, of_a_graph_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {instantiate, count_nodes};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_graph, destroy_graph);
}

static void *make_exec(void)
{
    lab_graph_exec *exec;
    lab_graph *graph = make_graph();
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    LAB_CHECK(lab_graph_destroy(graph));
    return exec;
}

static void destroy_exec(void *exec) { LAB_CHECK(lab_graph_exec_destroy(exec)); }

static lab_status launch_exec(void *exec)
{
    LAB_TRY(lab_graph_launch(exec, kept_stream));
    return lab_stream_synchronize(kept_stream);
}

Test(lifetime, of_an_executable_graph_lasts_as_long_as_its_launches)
{
    set_up();
    user_call *all[] = {launch_exec};
    memcpy(calls, all, sizeof all);
    destroy_under_use(MANY, make_exec, destroy_exec);
}

/* ---- Modules ---- */

static void *make_module(void)
{
    lab_module *module;
    LAB_CHECK(lab_module_load_source(&module, SOURCE, "lifetime_test.cu"));
    return module;
}

static void unload_module(void *module) { LAB_CHECK(lab_module_unload(module)); }

static lab_status launch_from(void *module)
{
    lab_function function;
    LAB_TRY(lab_module_get_function(&function, module, "bump"));
    return lab_launch(function, LAB_DIM(2), LAB_DIM(4), 0, kept_stream, LAB_ARGS(cell));
}

static lab_status find_variable(void *module)
{
    lab_deviceptr address;
    size_t bytes;
    return lab_module_get_global(&address, &bytes, module, "counter");
}

/* Under an adversarial schedule nothing runs before somebody waits: without this the work piles up. */
static lab_status wait_for_launches(void *module)
{
    (void)module;
    return lab_stream_synchronize(kept_stream);
}

static lab_status capture_from(void *module)
{
    lab_function function;
    lab_stream *stream;
    lab_graph *graph;
    lab_graph_exec *exec;
    LAB_TRY(lab_module_get_function(&function, module, "bump"));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_begin_capture(stream, LAB_CAPTURE_RELAXED));
    lab_launch(function, LAB_DIM(2), LAB_DIM(4), 0, stream, LAB_ARGS(cell));
    LAB_CHECK(lab_stream_end_capture(&graph, stream));
    lab_status status = lab_graph_instantiate(&exec, graph);
    for (int i = 0; status == LAB_SUCCESS && i < 3; i++) status = lab_graph_launch(exec, stream);
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_stream_destroy(stream));
    if (status == LAB_SUCCESS) LAB_CHECK(lab_graph_exec_destroy(exec));
    return status;
}

Test(lifetime, of_a_module_lasts_as_long_as_launches_of_its_kernels)
{
    set_up();
    user_call *all[] = {launch_from, find_variable, launch_from, capture_from, wait_for_launches};
    memcpy(calls, all, sizeof all);
    destroy_under_use(FEW, make_module, unload_module);
}

/* ---- Contexts ---- */

/* The companion is a stream of the context. */
static void *make_context(void)
{
    lab_context *context;
    lab_stream *stream;
    LAB_CHECK(lab_context_create(&context, 0));
    LAB_CHECK(lab_stream_create(&stream, LAB_STREAM_DEFAULT));
    atomic_store(&companion, stream);
    return context;
}

static void destroy_context(void *context) { LAB_CHECK(lab_context_destroy(context)); }

static lab_status synchronize_context(void *context) { return lab_context_synchronize(context); }

static lab_status make_members(void *context)
{
    lab_stream *stream;
    lab_event *event;
    lab_deviceptr memory;
    LAB_TRY(lab_context_push(context));
    lab_status status = lab_stream_create(&stream, LAB_STREAM_DEFAULT);
    if (status == LAB_SUCCESS) status = lab_event_create(&event, LAB_EVENT_DEFAULT);
    if (status == LAB_SUCCESS) status = lab_event_record(event, stream);
    if (status == LAB_SUCCESS) status = lab_stream_destroy(stream);
    if (status == LAB_SUCCESS) status = lab_event_destroy(event);
    if (status == LAB_SUCCESS) status = lab_mem_alloc(&memory, 256);
    if (status == LAB_SUCCESS) status = lab_mem_free(memory);
    if (status == LAB_SUCCESS) status = lab_mempool_alloc(&memory, NULL, 256, NULL);
    if (status == LAB_SUCCESS) status = lab_mempool_free(NULL, memory, NULL);
    LAB_CHECK(lab_context_pop(NULL));
    return status;
}

static lab_status use_its_stream(void *context)
{
    (void)context;
    lab_stream *stream = atomic_load(&companion);
    LAB_TRY(lab_stream_launch_host_func(stream, do_nothing, NULL));
    LAB_TRY(lab_stream_wait_event(stream, kept_event));
    return lab_stream_synchronize(stream);
}

static lab_status ask_context(void *context)
{
    lab_context_info info;
    return lab_context_get_info(&info, context);
}

Test(lifetime, of_a_context_lasts_as_long_as_the_calls_in_it)
{
    set_up();
    user_call *all[] = {make_members, synchronize_context, use_its_stream, ask_context};
    memcpy(calls, all, sizeof all);
    lab_status gone[] = {LAB_ERROR_CONTEXT_IS_DESTROYED, LAB_ERROR_INVALID_VALUE};
    memcpy(also_allowed, gone, sizeof gone);
    destroy_under_use(MANY, make_context, destroy_context);
}

static void reset_device(void *stream)
{
    (void)stream;
    LAB_CHECK(lab_device_reset(0));
}

static lab_status make_other_members(void *unused)
{
    (void)unused;
    lab_stream *stream;
    lab_event *event;
    LAB_TRY(lab_stream_create(&stream, LAB_STREAM_NON_BLOCKING));
    LAB_TRY(lab_event_create(&event, LAB_EVENT_DEFAULT));
    LAB_TRY(lab_event_record(event, stream));
    LAB_TRY(lab_event_synchronize(event));
    LAB_TRY(lab_stream_destroy(stream));
    return lab_event_destroy(event);
}

Test(lifetime, of_what_a_reset_ends_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {make_other_members, call_host, synchronize, query, pool_alloc};
    memcpy(calls, all, sizeof all);
    lab_status gone[] = {LAB_ERROR_INVALID_VALUE};
    memcpy(also_allowed, gone, sizeof gone);
    destroy_under_use(MANY, make_stream, reset_device);
}

/* ---- Arrays, and kernels made for them ---- */

static void *make_array(void)
{
    lab_array *array;
    LAB_CHECK(lab_array_zeros(&array, LAB_FLOAT32, LAB_SHAPE(64)));
    return array;
}

static void destroy_array(void *array) { LAB_CHECK(lab_array_destroy(array)); }

static lab_status read_array(void *array)
{
    float host[64];
    return lab_array_get(array, host);
}

static lab_status view_array(void *array)
{
    lab_array *view;
    LAB_TRY(lab_array_reshape(&view, array, LAB_SHAPE(8, 8)));
    (void)lab_array_count(array);
    return lab_array_destroy(view);
}

Test(lifetime, of_an_array_lasts_as_long_as_the_calls_with_it)
{
    set_up();
    user_call *all[] = {read_array, view_array};
    memcpy(calls, all, sizeof all);
    lab_status gone[] = {LAB_ERROR_INVALID_VALUE};
    memcpy(also_allowed, gone, sizeof gone);
    destroy_under_use(MANY, make_array, destroy_array);
}

static void *make_elementwise(void)
{
    lab_elementwise *kernel;
    LAB_CHECK(lab_elementwise_create(&kernel, "float32 x", "float32 y", "y = x + 1", "lifetime"));
    return kernel;
}

static void destroy_elementwise(void *kernel) { LAB_CHECK(lab_elementwise_destroy(kernel)); }

static lab_status launch_elementwise(void *kernel)
{
    return lab_elementwise_launch(kernel, kept_stream,
                                  LAB_ARGS((lab_array *)atomic_load(&companion), (lab_array *)atomic_load(&companion)));
}

Test(lifetime, of_an_elementwise_kernel_lasts_as_long_as_its_launches)
{
    set_up();
    atomic_store(&companion, make_array());
    user_call *all[] = {launch_elementwise};
    memcpy(calls, all, sizeof all);
    destroy_under_use(FEW, make_elementwise, destroy_elementwise);
}
