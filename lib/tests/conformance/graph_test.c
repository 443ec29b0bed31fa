/* Graphs: what a launch runs and in which order, what outlives what, and new arguments for old nodes (cuda.h, "Graph
 * Management": cuGraphInstantiate, cuGraphLaunch, cuGraphExecKernelNodeSetParams, cuGraphExecDestroy). */
#include "gate.h"
#include "lab_trace.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, BYTES = COUNT * sizeof(float) };

static const char SOURCE[] =
    "extern \"C\" __global__ void scale(float *data, float factor, int count)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count) data[i] = factor * data[i] + i;\n"
    "}\n"
    "extern \"C\" __global__ void add(float *out, const float *left, const float *right, int count)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < count) out[i] = left[i] + right[i];\n"
    "}\n"
    "extern \"C\" __global__ void set(float *out, float value) { out[blockIdx.x] = value; }\n"
    "extern \"C\" __global__ void next(int *calls) { calls[0] = calls[0] + 1; }\n";

typedef struct scene {
    lab_stream *stream, *fork, *other;
    lab_event *forked, *joined;
    lab_module *module;
    lab_function scale, add, set, next;
    lab_deviceptr memory, left, right;
} scene;

static lab_deviceptr allocate(void)
{
    lab_deviceptr memory;
    LAB_CHECK(lab_mem_alloc(&memory, BYTES));
    return memory;
}

static scene make_scene(void)
{
    scene made;
    LAB_CHECK(lab_stream_create(&made.stream, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made.fork, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_stream_create(&made.other, LAB_STREAM_NON_BLOCKING));
    LAB_CHECK(lab_event_create(&made.forked, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_event_create(&made.joined, LAB_EVENT_DISABLE_TIMING));
    LAB_CHECK(lab_module_load_source(&made.module, SOURCE, "graph_test.cu"));
    LAB_CHECK(lab_module_get_function(&made.scale, made.module, "scale"));
    LAB_CHECK(lab_module_get_function(&made.add, made.module, "add"));
    LAB_CHECK(lab_module_get_function(&made.set, made.module, "set"));
    LAB_CHECK(lab_module_get_function(&made.next, made.module, "next"));
    made.memory = allocate();
    made.left = allocate();
    made.right = allocate();
    return made;
}

static void begin(const scene *of) { LAB_CHECK(lab_stream_begin_capture(of->stream, LAB_CAPTURE_RELAXED)); }

static lab_graph *end(const scene *of)
{
    lab_graph *graph;
    LAB_CHECK(lab_stream_end_capture(&graph, of->stream));
    return graph;
}

static lab_graph_exec *instantiate(lab_graph *graph)
{
    lab_graph_exec *exec;
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    return exec;
}

static void launch_set(const scene *of, float value, lab_stream *stream)
{
    LAB_CHECK(lab_launch(of->set, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(of->memory, value)));
}

/* A graph of one node that sets the first element. */
static lab_graph *capture_set(const scene *of, float value)
{
    begin(of);
    launch_set(of, value, of->stream);
    return end(of);
}

static float first_element(const scene *of)
{
    float value;
    LAB_CHECK(lab_memcpy_dtoh(&value, of->memory, sizeof value));
    return value;
}

static bool has_edge(lab_graph *graph, int from, int to)
{
    const lab_graph_edge *edge;
    int edges;
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    for (int i = 0; i < edges; i++)
        if (edge[i].from == from && edge[i].to == to) return true;
    return false;
}

static int count_edges(lab_graph *graph)
{
    const lab_graph_edge *edge;
    int edges;
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    return edges;
}

static void wait_for(lab_stream *waiting, lab_event *event, lab_stream *stream)
{
    LAB_CHECK(lab_event_record(event, stream));
    LAB_CHECK(lab_stream_wait_event(waiting, event));
}

/* --- Shapes ------------------------------------------------------------------------------------------------- */

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, of_one_stream_is_a_chain)
{
    scene of = make_scene();
    begin(&of);
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    lab_graph *graph = end(&of);
    cr_assert_eq(count_edges(graph), 2);
    cr_assert(has_edge(graph, 0, 1) && has_edge(graph, 1, 2));
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, of_a_fork_and_a_join_is_a_diamond)
{
    scene of = make_scene();
    begin(&of);
    LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    wait_for(of.fork, of.forked, of.stream);
    LAB_CHECK(lab_memset_async(of.left, 0, BYTES, of.stream));
    LAB_CHECK(lab_memset_async(of.right, 0, BYTES, of.fork));
    wait_for(of.stream, of.joined, of.fork);
    LAB_CHECK(lab_memset_async(of.memory, 1, BYTES, of.stream));
    lab_graph *graph = end(&of);
    cr_assert_eq(count_edges(graph), 4);
    cr_assert(has_edge(graph, 0, 1) && has_edge(graph, 0, 2) && has_edge(graph, 1, 3) && has_edge(graph, 2, 3));
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, two_forks_from_an_empty_place_start_together)
{
    scene of = make_scene();
    begin(&of);
    wait_for(of.fork, of.forked, of.stream);
    LAB_CHECK(lab_memset_async(of.left, 0, BYTES, of.stream));
    LAB_CHECK(lab_memset_async(of.right, 0, BYTES, of.fork));
    wait_for(of.stream, of.joined, of.fork);
    cr_assert_eq(count_edges(end(&of)), 0);
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, waiting_twice_for_the_same_work_makes_one_edge)
{
    scene of = make_scene();
    begin(&of);
    LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    wait_for(of.fork, of.forked, of.stream);
    LAB_CHECK(lab_stream_wait_event(of.fork, of.forked));
    LAB_CHECK(lab_memset_async(of.right, 0, BYTES, of.fork));
    wait_for(of.stream, of.joined, of.fork);
    cr_assert_eq(count_edges(end(&of)), 1);
}

/* cuda.h, Graph Management: cuGraphNodeGetType, cuGraphGetNodes. */
Test(graph, nodes_say_what_they_are)
{
    scene of = make_scene();
    float host[COUNT];
    const lab_graph_node *node;
    int nodes;
    begin(&of);
    LAB_CHECK(lab_memcpy_htod_async(of.memory, host, BYTES, of.stream));
    LAB_CHECK(
        lab_launch(of.scale, LAB_DIM(4, 2), LAB_DIM(32, 1, 3), 0, of.stream, LAB_ARGS(of.memory, 2.0f, (int)COUNT)));
    LAB_CHECK(lab_memcpy_dtod_async(of.left, of.memory, 40, of.stream));
    LAB_CHECK(lab_memset_async(of.right, 0, 50, of.stream));
    LAB_CHECK(lab_memcpy_dtoh_async(host, of.memory, 60, of.stream));
    LAB_CHECK(lab_stream_launch_host_func(of.stream, free, NULL));
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, end(&of)));
    const lab_graph_node_kind kind[] = {LAB_NODE_COPY_HTOD, LAB_NODE_KERNEL,    LAB_NODE_COPY_DTOD,
                                        LAB_NODE_FILL,      LAB_NODE_COPY_DTOH, LAB_NODE_HOST_FUNCTION};
    const size_t bytes[] = {BYTES, 0, 40, 50, 60, 0};
    cr_assert_eq(nodes, 6);
    for (int i = 0; i < nodes; i++) {
        cr_assert_eq(node[i].kind, kind[i], "node %d is a %s", i, lab_graph_node_kind_name(node[i].kind));
        cr_assert_eq(node[i].bytes, bytes[i]);
        cr_assert_str_eq(node[i].name, i == 1 ? "scale" : "");
    }
    cr_assert(node[1].grid.x == 4 && node[1].grid.y == 2 && node[1].grid.z == 1);
    cr_assert(node[1].block.x == 32 && node[1].block.y == 1 && node[1].block.z == 3);
    cr_assert_str_eq(lab_graph_node_kind_name((lab_graph_node_kind)99), "unknown");
}

/* --- Launching ---------------------------------------------------------------------------------------------- */

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, replays_with_the_data_of_the_moment)
{
    enum { REPLAYS = 1000 };
    scene of = make_scene();
    float in[COUNT], out[COUNT];
    int dimension = (COUNT + 127) / 128;
    begin(&of);
    LAB_CHECK(lab_memcpy_htod_async(of.memory, in, BYTES, of.stream));
    wait_for(of.fork, of.forked, of.stream);
    LAB_CHECK(lab_memcpy_dtod_async(of.left, of.memory, BYTES, of.stream));
    LAB_CHECK(lab_memcpy_dtod_async(of.right, of.memory, BYTES, of.fork));
    LAB_CHECK(
        lab_launch(of.scale, LAB_DIM(dimension), LAB_DIM(128), 0, of.stream, LAB_ARGS(of.left, 2.0f, (int)COUNT)));
    LAB_CHECK(lab_launch(of.scale, LAB_DIM(dimension), LAB_DIM(128), 0, of.fork, LAB_ARGS(of.right, 3.0f, (int)COUNT)));
    wait_for(of.stream, of.joined, of.fork);
    LAB_CHECK(lab_launch(of.add, LAB_DIM(dimension), LAB_DIM(128), 0, of.stream,
                         LAB_ARGS(of.memory, of.left, of.right, (int)COUNT)));
    LAB_CHECK(lab_memcpy_dtoh_async(out, of.memory, BYTES, of.stream));
    lab_graph_exec *exec = instantiate(end(&of));
    for (int replay = 0; replay < REPLAYS; replay++) {
        for (int i = 0; i < COUNT; i++) in[i] = (float)(replay % 100 + i);
        LAB_CHECK(lab_graph_launch(exec, of.stream));
        LAB_CHECK(lab_stream_synchronize(of.stream));
        for (int i = 0; i < COUNT; i++)
            cr_assert_eq(out[i], 5 * in[i] + 2 * (float)i, "replay %d, element %d: %g", replay, i, (double)out[i]);
    }
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, launches_are_ordered_by_the_stream)
{
    scene of = make_scene();
    lab_graph_exec *two = instantiate(capture_set(&of, 2)), *three = instantiate(capture_set(&of, 3));
    gate closed = GATE_CLOSED;
    gate_close_stream(&closed, of.other);
    for (int i = 0; i < 50; i++) {
        LAB_CHECK(lab_graph_launch(two, of.other));
        launch_set(&of, 1, of.other);
        LAB_CHECK(lab_graph_launch(three, of.other));
    }
    cr_assert_eq(lab_stream_query(of.other), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of.other));
    cr_assert_eq(first_element(&of), 3);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, runs_on_any_stream_the_null_stream_too)
{
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 5));
    lab_stream *on[] = {of.stream, of.other, lab_stream_null(), lab_stream_per_thread(), NULL};
    for (int i = 0; i < 5; i++) {
        LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, on[i]));
        LAB_CHECK(lab_graph_launch(exec, on[i]));
        LAB_CHECK(lab_stream_synchronize(on[i]));
        cr_assert_eq(first_element(&of), 5, "stream %d", i);
    }
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, launches_of_one_executable_graph_never_overlap)
{
    enum { LAUNCHES = 200 };
    scene of = make_scene();
    int calls = 0;
    begin(&of);
    for (int i = 0; i < 4; i++)
        LAB_CHECK(lab_launch(of.next, LAB_DIM(1), LAB_DIM(1), 0, of.stream, LAB_ARGS(of.memory)));
    lab_graph_exec *exec = instantiate(end(&of));
    lab_stream *stream[] = {of.stream, of.fork, of.other};
    LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    LAB_CHECK(lab_stream_synchronize(of.stream));
    for (int i = 0; i < LAUNCHES; i++) LAB_CHECK(lab_graph_launch(exec, stream[i % 3]));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_memcpy_dtoh(&calls, of.memory, sizeof calls));
    cr_assert_eq(calls, 4 * LAUNCHES, "%d of the additions were lost", 4 * LAUNCHES - calls);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, a_launch_waits_for_the_one_before_on_another_stream)
{
    gate closed = GATE_CLOSED;
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    gate_close_stream(&closed, of.stream);
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_graph_launch(exec, of.other));
    cr_assert_eq(lab_stream_query(of.other), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of.other));
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, instantiated_twice_runs_independently)
{
    gate closed = GATE_CLOSED;
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 1);
    lab_graph_exec *held = instantiate(graph), *free_one = instantiate(graph);
    LAB_CHECK(lab_graph_exec_update_kernel(free_one, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.left, 1.0f)));
    gate_close_stream(&closed, of.stream);
    LAB_CHECK(lab_graph_launch(held, of.stream));
    LAB_CHECK(lab_graph_launch(free_one, of.other));
    cr_assert_eq(lab_stream_synchronize(of.other), LAB_SUCCESS);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of.stream));
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, events_after_a_launch_stand_for_all_of_it)
{
    gate closed = GATE_CLOSED;
    scene of = make_scene();
    begin(&of);
    LAB_CHECK(lab_memset_async(of.memory, 1, BYTES, of.stream));
    LAB_CHECK(lab_stream_launch_host_func(of.stream, gate_wait, &closed));
    LAB_CHECK(lab_graph_launch(instantiate(end(&of)), of.stream));
    LAB_CHECK(lab_event_record(of.joined, of.stream));
    cr_assert_eq(lab_event_query(of.joined), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(of.joined));
    cr_assert_eq(lab_stream_query(of.stream), LAB_SUCCESS);
}

static void count_call(void *user) { ++*(int *)user; }

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, host_functions_are_called_once_a_launch)
{
    scene of = make_scene();
    int calls = 0;
    begin(&of);
    LAB_CHECK(lab_stream_launch_host_func(of.stream, count_call, &calls));
    lab_graph_exec *exec = instantiate(end(&of));
    cr_assert_eq(calls, 0);
    for (int i = 0; i < 7; i++) LAB_CHECK(lab_graph_launch(exec, of.other));
    LAB_CHECK(lab_stream_synchronize(of.other));
    cr_assert_eq(calls, 7);
}

static void synchronize_inside(void *user) { *(lab_status *)user = lab_device_synchronize(); }

/* cuda.h, Execution Control: cuLaunchHostFunc. */
Test(graph, host_functions_must_not_call_the_library)
{
    scene of = make_scene();
    lab_status status = LAB_SUCCESS;
    begin(&of);
    LAB_CHECK(lab_stream_launch_host_func(of.stream, synchronize_inside, &status));
    LAB_CHECK(lab_graph_launch(instantiate(end(&of)), of.stream));
    LAB_CHECK(lab_stream_synchronize(of.stream));
    cr_assert_eq(status, LAB_ERROR_NOT_PERMITTED);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, empty_can_be_launched)
{
    scene of = make_scene();
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes, edges;
    begin(&of);
    lab_graph *graph = end(&of);
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    cr_assert(nodes == 0 && edges == 0);
    lab_graph_exec *exec = instantiate(graph);
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_graph_launch(exec, of.stream));
    cr_assert_eq(lab_stream_synchronize(of.stream), LAB_SUCCESS);
}

/* CUDA Driver API, Stream synchronization behavior: a launch on the null stream. */
Test(graph, takes_the_null_streams_place_in_the_order)
{
    scene of = make_scene();
    lab_stream *blocking;
    gate closed = GATE_CLOSED;
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_graph_exec *exec = instantiate(capture_set(&of, 9));
    gate_close_stream(&closed, blocking);
    LAB_CHECK(lab_graph_launch(exec, lab_stream_null()));
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    cr_assert_eq(first_element(&of), 9);
}

/* --- Where a launch is refused ------------------------------------------------------------------------------ */

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_a_stream_that_captures_invalidates_the_capture)
{
    scene of = make_scene();
    lab_graph *graph;
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    begin(&of);
    cr_assert_eq(lab_graph_launch(exec, of.stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_stream_end_capture(&graph, of.stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(lab_graph_launch(exec, of.stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_synchronize(of.stream));
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_another_stream_leaves_a_global_capture_alone)
{
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    LAB_CHECK(lab_stream_begin_capture(of.stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_graph_launch(exec, of.other), LAB_SUCCESS);
    cr_assert_eq(lab_graph_destroy(end(&of)), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_the_null_stream_invalidates_a_blocking_streams_capture)
{
    scene of = make_scene();
    lab_stream *blocking;
    lab_graph *graph;
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_begin_capture(blocking, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_graph_launch(exec, lab_stream_null()), LAB_ERROR_STREAM_CAPTURE_IMPLICIT);
    cr_assert_eq(lab_stream_end_capture(&graph, blocking), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* cuda.h, Module Management: cuModuleUnload. */
Test(graph, whose_module_was_unloaded_is_refused)
{
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 1);
    lab_graph_exec *exec = instantiate(graph), *late;
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_module_unload(of.module));
    cr_assert_eq(lab_graph_launch(exec, of.stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_instantiate(&late, graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(late);
}

/* --- What outlives what ------------------------------------------------------------------------------------- */

/* cuda.h, Graph Management: cuGraphDestroy. */
Test(graph, destroyed_leaves_what_was_instantiated)
{
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 4);
    lab_graph_exec *exec = instantiate(graph);
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory, 6.0f)));
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_stream_synchronize(of.stream));
    cr_assert_eq(first_element(&of), 6);
}

/* cuda.h, Graph Management: cuGraphExecDestroy. */
Test(graph, executable_destroyed_while_pending_runs_to_its_end)
{
    scene of = make_scene();
    gate closed = GATE_CLOSED;
    int calls = 0;
    begin(&of);
    launch_set(&of, 8, of.stream);
    LAB_CHECK(lab_stream_launch_host_func(of.stream, count_call, &calls));
    lab_graph *graph = end(&of);
    lab_graph_exec *exec = instantiate(graph);
    gate_close_stream(&closed, of.other);
    LAB_CHECK(lab_graph_launch(exec, of.other));
    LAB_CHECK(lab_graph_launch(exec, of.other));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_exec_destroy(exec));
    cr_assert_eq(lab_stream_query(of.other), LAB_ERROR_NOT_READY, "destroying does not wait");
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of.other));
    cr_assert_eq(first_element(&of), 8);
    cr_assert_eq(calls, 2);
}

/* cuda.h, Graph Management: cuGraphDestroy. */
Test(graph, outlives_the_stream_that_captured_it)
{
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 4));
    LAB_CHECK(lab_stream_destroy(of.stream));
    LAB_CHECK(lab_graph_launch(exec, of.other));
    LAB_CHECK(lab_stream_synchronize(of.other));
    cr_assert_eq(first_element(&of), 4);
}

/* cuda.h, Context Management: cuCtxDestroy, cuCtxSetCurrent. */
Test(graph, ends_with_its_context)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 4);
    lab_graph_exec *exec = instantiate(graph);
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_graph_launch(exec, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_destroy(graph), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Context Management: cuCtxDestroy, cuCtxSetCurrent. */
Test(graph, is_launched_in_its_own_context)
{
    lab_context *context;
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 4));
    LAB_CHECK(lab_context_create(&context, 0));
    cr_assert_eq(lab_graph_launch(exec, NULL), LAB_ERROR_INVALID_CONTEXT);
    scene foreign = make_scene();
    cr_assert_eq(
        lab_graph_exec_update_kernel(exec, 0, foreign.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory, 1.0f)),
        LAB_ERROR_INVALID_CONTEXT);
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_graph_launch(exec, of.stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_synchronize(of.stream));
}

/* --- New arguments ------------------------------------------------------------------------------------------ */

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, updated_node_has_new_arguments_and_extents)
{
    scene of = make_scene();
    float out[3] = {0};
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    for (int i = 1; i <= 20; i++) {
        LAB_CHECK(
            lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(3), LAB_DIM(1), 0, LAB_ARGS(of.memory, (float)i)));
        LAB_CHECK(lab_graph_launch(exec, of.stream));
        LAB_CHECK(lab_stream_synchronize(of.stream));
        LAB_CHECK(lab_memcpy_dtoh(out, of.memory, sizeof out));
        cr_assert(out[0] == (float)i && out[1] == (float)i && out[2] == (float)i);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, updated_node_keeps_its_place_in_the_order)
{
    scene of = make_scene();
    int calls;
    begin(&of);
    LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_launch(of.next, LAB_DIM(1), LAB_DIM(1), 0, of.stream, LAB_ARGS(of.left)));
    LAB_CHECK(lab_memcpy_dtoh_async(&calls, of.memory, sizeof calls, of.stream));
    lab_graph_exec *exec = instantiate(end(&of));
    for (int node = 1; node <= 3; node++)
        LAB_CHECK(lab_graph_exec_update_kernel(exec, node, of.next, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory)));
    for (int i = 0; i < 200; i++) {
        calls = 0;
        LAB_CHECK(lab_graph_launch(exec, of.stream));
        LAB_CHECK(lab_stream_synchronize(of.stream));
        cr_assert_eq(calls, 3, "launch %d: %d", i, calls);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_does_not_reach_launches_that_are_pending)
{
    scene of = make_scene();
    gate closed = GATE_CLOSED;
    float seen[3] = {0};
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    gate_close_stream(&closed, of.other);
    for (int i = 0; i < 3; i++) {
        LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0,
                                               LAB_ARGS(of.memory, 10.0f + (float)i)));
        LAB_CHECK(lab_graph_launch(exec, of.other));
        LAB_CHECK(lab_memcpy_dtod_async(of.left + sizeof(float) * (size_t)i, of.memory, sizeof(float), of.other));
    }
    LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory, 99.0f)));
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(of.other));
    LAB_CHECK(lab_memcpy_dtoh(seen, of.left, sizeof seen));
    for (int i = 0; i < 3; i++) cr_assert_eq(seen[i], 10.0f + (float)i, "launch %d saw %g", i, (double)seen[i]);
    cr_assert_eq(first_element(&of), 12);
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_may_name_another_kernel)
{
    scene of = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&of, 1));
    LAB_CHECK(lab_memset_async(of.memory, 0, BYTES, of.stream));
    LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, of.next, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory)));
    for (int i = 0; i < 5; i++) LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_stream_synchronize(of.stream));
    int calls;
    LAB_CHECK(lab_memcpy_dtoh(&calls, of.memory, sizeof calls));
    cr_assert_eq(calls, 5);
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_leaves_the_graph_and_what_else_was_instantiated)
{
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 1);
    lab_graph_exec *updated = instantiate(graph), *untouched = instantiate(graph);
    LAB_CHECK(lab_graph_exec_update_kernel(updated, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory, 2.0f)));
    lab_graph_exec *late = instantiate(graph);
    lab_graph_exec *each[] = {updated, untouched, late};
    for (int i = 0; i < 3; i++) {
        LAB_CHECK(lab_graph_launch(each[i], of.stream));
        LAB_CHECK(lab_stream_synchronize(of.stream));
        cr_assert_eq(first_element(&of), i == 0 ? 2 : 1, "%d", i);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_is_checked_as_a_launch_is)
{
    scene of = make_scene();
    begin(&of);
    launch_set(&of, 1, of.stream);
    LAB_CHECK(lab_memset_async(of.left, 0, BYTES, of.stream));
    lab_graph_exec *exec = instantiate(end(&of));
    lab_dim one = LAB_DIM(1);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, of.set, one, one, 0, LAB_ARGS(of.memory)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, of.set, one, one, 0, LAB_ARGS(of.memory, 1.0)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(0), one, 0, LAB_ARGS(of.memory, 1.0f)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, (lab_function){0}, one, one, 0, LAB_ARGS(of.memory, 1.0f)),
                 LAB_ERROR_INVALID_HANDLE);
    int nodes_that_are_none[] = {-1, 1, 2, 1 << 30};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(
            lab_graph_exec_update_kernel(exec, nodes_that_are_none[i], of.set, one, one, 0, LAB_ARGS(of.memory, 1.0f)),
            LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_graph_launch(exec, of.stream));
    LAB_CHECK(lab_stream_synchronize(of.stream));
    cr_assert_eq(first_element(&of), 1, "a refused update changes nothing");
}

/* --- The record --------------------------------------------------------------------------------------------- */

/* lab.h, lab_trace.h: what a record holds of a graph. */
Test(graph, record_has_launches_and_no_captured_calls)
{
    scene of = make_scene();
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    begin(&of);
    launch_set(&of, 1, of.stream);
    wait_for(of.fork, of.forked, of.stream);
    LAB_CHECK(lab_memset_async(of.left, 0, BYTES, of.fork));
    wait_for(of.stream, of.joined, of.fork);
    lab_graph_exec *exec = instantiate(end(&of));
    for (int i = 0; i < 2; i++) LAB_CHECK(lab_graph_launch(exec, of.other));
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->ops, 2, "%zu operations", trace->ops);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(trace->op[i].kind, LAB_OP_GRAPH_LAUNCH);
        cr_assert(trace->op[i].end_ns >= trace->op[i].start_ns && trace->op[i].start_ns > 0);
        cr_assert_eq(strncmp(trace->op[i].name, "graph ", 6), 0, "%s", trace->op[i].name);
        cr_assert_gt(trace->op[i].line, 0);
    }
    lab_trace_free(trace);
}

/* lab.h, lab_trace.h: what a record holds of a graph. */
Test(graph, record_ends_while_a_stream_captures_and_leaves_the_capture_alone)
{
    scene of = make_scene();
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    begin(&of);
    launch_set(&of, 1, of.other);
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->ops, 1);
    cr_assert_gt(trace->op[0].end_ns, 0);
    lab_trace_free(trace);
    LAB_CHECK(lab_graph_destroy(end(&of)));
}

/* --- Bad input ---------------------------------------------------------------------------------------------- */

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(graph, destroying_null_does_nothing)
{
    cr_assert_eq(lab_graph_destroy(NULL), LAB_SUCCESS);
    cr_assert_eq(lab_graph_exec_destroy(NULL), LAB_SUCCESS);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(graph, refuses_what_was_destroyed)
{
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 1);
    lab_graph_exec *exec = instantiate(graph), *none = exec;
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int count;
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_exec_destroy(exec));
    cr_assert_eq(lab_graph_destroy(graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_exec_destroy(exec), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_instantiate(&none, graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(none);
    cr_assert_eq(lab_graph_get_nodes(&node, &count, graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_get_edges(&edge, &count, graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_save_dot(graph, "build/never.dot"), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_launch(exec, of.stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, of.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(of.memory, 1.0f)),
                 LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(graph, refuses_null)
{
    scene of = make_scene();
    lab_graph *graph = capture_set(&of, 1);
    lab_graph_exec *exec = instantiate(graph), *none;
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int count;
    cr_assert_eq(lab_graph_instantiate(NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_instantiate(&none, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_get_nodes(NULL, &count, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_nodes(&node, NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_edges(NULL, &count, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_edges(&edge, NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_nodes(&node, &count, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_save_dot(graph, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_launch(NULL, of.stream), LAB_ERROR_INVALID_HANDLE);
    LAB_CHECK(lab_stream_destroy(of.other));
    cr_assert_eq(lab_graph_launch(exec, of.other), LAB_ERROR_INVALID_HANDLE);
}
