/* Graphs: the work and order of a launch, the lifetimes of graphs and executable graphs, and new arguments for nodes
 * (cuda.h, "Graph Management": cuGraphInstantiate, cuGraphLaunch, cuGraphExecKernelNodeSetParams, cuGraphExecDestroy).
 * */
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

static void begin(const scene *stage) { LAB_CHECK(lab_stream_begin_capture(stage->stream, LAB_CAPTURE_RELAXED)); }

static lab_graph *end(const scene *stage)
{
    lab_graph *graph;
    LAB_CHECK(lab_stream_end_capture(&graph, stage->stream));
    return graph;
}

static lab_graph_exec *instantiate(lab_graph *graph)
{
    lab_graph_exec *exec;
    LAB_CHECK(lab_graph_instantiate(&exec, graph));
    return exec;
}

static void launch_set(const scene *stage, float value, lab_stream *stream)
{
    LAB_CHECK(lab_launch(stage->set, LAB_DIM(1), LAB_DIM(1), 0, stream, LAB_ARGS(stage->memory, value)));
}

/* A graph of one node that sets the first element. */
static lab_graph *capture_set(const scene *stage, float value)
{
    begin(stage);
    launch_set(stage, value, stage->stream);
    return end(stage);
}

static float first_element(const scene *stage)
{
    float value;
    LAB_CHECK(lab_memcpy_dtoh(&value, stage->memory, sizeof value));
    return value;
}

static bool has_edge(lab_graph *graph, int first, int second)
{
    const lab_graph_edge *edge;
    int edges;
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    for (int i = 0; i < edges; i++)
        if (edge[i].from == first && edge[i].to == second) return true;
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
    scene stage = make_scene();
    begin(&stage);
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    lab_graph *graph = end(&stage);
    cr_assert_eq(count_edges(graph), 2);
    cr_assert(has_edge(graph, 0, 1) && has_edge(graph, 1, 2));
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, of_a_fork_and_a_join_is_a_diamond)
{
    scene stage = make_scene();
    begin(&stage);
    LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    wait_for(stage.fork, stage.forked, stage.stream);
    LAB_CHECK(lab_memset_async(stage.left, 0, BYTES, stage.stream));
    LAB_CHECK(lab_memset_async(stage.right, 0, BYTES, stage.fork));
    wait_for(stage.stream, stage.joined, stage.fork);
    LAB_CHECK(lab_memset_async(stage.memory, 1, BYTES, stage.stream));
    lab_graph *graph = end(&stage);
    cr_assert_eq(count_edges(graph), 4);
    cr_assert(has_edge(graph, 0, 1) && has_edge(graph, 0, 2) && has_edge(graph, 1, 3) && has_edge(graph, 2, 3));
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, two_forks_from_an_empty_place_start_together)
{
    scene stage = make_scene();
    begin(&stage);
    wait_for(stage.fork, stage.forked, stage.stream);
    LAB_CHECK(lab_memset_async(stage.left, 0, BYTES, stage.stream));
    LAB_CHECK(lab_memset_async(stage.right, 0, BYTES, stage.fork));
    wait_for(stage.stream, stage.joined, stage.fork);
    cr_assert_eq(count_edges(end(&stage)), 0);
}

/* cuda.h, Graph Management: cuGraphGetEdges. */
Test(graph, waiting_twice_for_the_same_work_makes_one_edge)
{
    scene stage = make_scene();
    begin(&stage);
    LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    wait_for(stage.fork, stage.forked, stage.stream);
    LAB_CHECK(lab_stream_wait_event(stage.fork, stage.forked));
    LAB_CHECK(lab_memset_async(stage.right, 0, BYTES, stage.fork));
    wait_for(stage.stream, stage.joined, stage.fork);
    cr_assert_eq(count_edges(end(&stage)), 1);
}

/* cuda.h, Graph Management: cuGraphNodeGetType, cuGraphGetNodes. */
Test(graph, nodes_say_what_they_are)
{
    scene stage = make_scene();
    float host[COUNT];
    const lab_graph_node *node;
    int nodes;
    begin(&stage);
    LAB_CHECK(lab_memcpy_htod_async(stage.memory, host, BYTES, stage.stream));
    LAB_CHECK(lab_launch(stage.scale, LAB_DIM(4, 2), LAB_DIM(32, 1, 3), 0, stage.stream,
                         LAB_ARGS(stage.memory, 2.0f, (int)COUNT)));
    LAB_CHECK(lab_memcpy_dtod_async(stage.left, stage.memory, 40, stage.stream));
    LAB_CHECK(lab_memset_async(stage.right, 0, 50, stage.stream));
    LAB_CHECK(lab_memcpy_dtoh_async(host, stage.memory, 60, stage.stream));
    LAB_CHECK(lab_stream_launch_host_func(stage.stream, free, NULL));
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, end(&stage)));
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
    scene stage = make_scene();
    float input[COUNT], out[COUNT];
    int dimension = (COUNT + 127) / 128;
    begin(&stage);
    LAB_CHECK(lab_memcpy_htod_async(stage.memory, input, BYTES, stage.stream));
    wait_for(stage.fork, stage.forked, stage.stream);
    LAB_CHECK(lab_memcpy_dtod_async(stage.left, stage.memory, BYTES, stage.stream));
    LAB_CHECK(lab_memcpy_dtod_async(stage.right, stage.memory, BYTES, stage.fork));
    LAB_CHECK(lab_launch(stage.scale, LAB_DIM(dimension), LAB_DIM(128), 0, stage.stream,
                         LAB_ARGS(stage.left, 2.0f, (int)COUNT)));
    LAB_CHECK(lab_launch(stage.scale, LAB_DIM(dimension), LAB_DIM(128), 0, stage.fork,
                         LAB_ARGS(stage.right, 3.0f, (int)COUNT)));
    wait_for(stage.stream, stage.joined, stage.fork);
    LAB_CHECK(lab_launch(stage.add, LAB_DIM(dimension), LAB_DIM(128), 0, stage.stream,
                         LAB_ARGS(stage.memory, stage.left, stage.right, (int)COUNT)));
    LAB_CHECK(lab_memcpy_dtoh_async(out, stage.memory, BYTES, stage.stream));
    lab_graph_exec *exec = instantiate(end(&stage));
    for (int replay = 0; replay < REPLAYS; replay++) {
        for (int i = 0; i < COUNT; i++) input[i] = (float)(replay % 100 + i);
        LAB_CHECK(lab_graph_launch(exec, stage.stream));
        LAB_CHECK(lab_stream_synchronize(stage.stream));
        for (int i = 0; i < COUNT; i++)
            cr_assert_eq(out[i], 5 * input[i] + 2 * (float)i, "replay %d, element %d: %g", replay, i, (double)out[i]);
    }
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, launches_are_ordered_by_the_stream)
{
    scene stage = make_scene();
    lab_graph_exec *two = instantiate(capture_set(&stage, 2)), *three = instantiate(capture_set(&stage, 3));
    gate closed = GATE_CLOSED;
    gate_close_stream(&closed, stage.other);
    for (int i = 0; i < 50; i++) {
        LAB_CHECK(lab_graph_launch(two, stage.other));
        launch_set(&stage, 1, stage.other);
        LAB_CHECK(lab_graph_launch(three, stage.other));
    }
    cr_assert_eq(lab_stream_query(stage.other), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.other));
    cr_assert_eq(first_element(&stage), 3);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, runs_on_any_stream_the_null_stream_too)
{
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 5));
    lab_stream *stream[] = {stage.stream, stage.other, lab_stream_null(), lab_stream_per_thread(), NULL};
    for (int i = 0; i < 5; i++) {
        LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stream[i]));
        LAB_CHECK(lab_graph_launch(exec, stream[i]));
        LAB_CHECK(lab_stream_synchronize(stream[i]));
        cr_assert_eq(first_element(&stage), 5, "stream %d", i);
    }
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, launches_of_one_executable_graph_never_overlap)
{
    enum { LAUNCHES = 200 };
    scene stage = make_scene();
    int calls = 0;
    begin(&stage);
    for (int i = 0; i < 4; i++)
        LAB_CHECK(lab_launch(stage.next, LAB_DIM(1), LAB_DIM(1), 0, stage.stream, LAB_ARGS(stage.memory)));
    lab_graph_exec *exec = instantiate(end(&stage));
    lab_stream *stream[] = {stage.stream, stage.fork, stage.other};
    LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    for (int i = 0; i < LAUNCHES; i++) LAB_CHECK(lab_graph_launch(exec, stream[i % 3]));
    LAB_CHECK(lab_device_synchronize());
    LAB_CHECK(lab_memcpy_dtoh(&calls, stage.memory, sizeof calls));
    cr_assert_eq(calls, 4 * LAUNCHES, "%d of the additions were lost", 4 * LAUNCHES - calls);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, a_launch_waits_for_the_one_before_on_another_stream)
{
    gate closed = GATE_CLOSED;
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    gate_close_stream(&closed, stage.stream);
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_graph_launch(exec, stage.other));
    cr_assert_eq(lab_stream_query(stage.other), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.other));
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, instantiated_twice_runs_independently)
{
    gate closed = GATE_CLOSED;
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 1);
    lab_graph_exec *held = instantiate(graph), *free_one = instantiate(graph);
    LAB_CHECK(
        lab_graph_exec_update_kernel(free_one, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.left, 1.0f)));
    gate_close_stream(&closed, stage.stream);
    LAB_CHECK(lab_graph_launch(held, stage.stream));
    LAB_CHECK(lab_graph_launch(free_one, stage.other));
    cr_assert_eq(lab_stream_synchronize(stage.other), LAB_SUCCESS);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.stream));
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, events_after_a_launch_stand_for_all_of_it)
{
    gate closed = GATE_CLOSED;
    scene stage = make_scene();
    begin(&stage);
    LAB_CHECK(lab_memset_async(stage.memory, 1, BYTES, stage.stream));
    LAB_CHECK(lab_stream_launch_host_func(stage.stream, gate_wait, &closed));
    LAB_CHECK(lab_graph_launch(instantiate(end(&stage)), stage.stream));
    LAB_CHECK(lab_event_record(stage.joined, stage.stream));
    cr_assert_eq(lab_event_query(stage.joined), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_event_synchronize(stage.joined));
    cr_assert_eq(lab_stream_query(stage.stream), LAB_SUCCESS);
}

static void count_call(void *user) { ++*(int *)user; }

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, host_functions_are_called_once_a_launch)
{
    scene stage = make_scene();
    int calls = 0;
    begin(&stage);
    LAB_CHECK(lab_stream_launch_host_func(stage.stream, count_call, &calls));
    lab_graph_exec *exec = instantiate(end(&stage));
    cr_assert_eq(calls, 0);
    for (int i = 0; i < 7; i++) LAB_CHECK(lab_graph_launch(exec, stage.other));
    LAB_CHECK(lab_stream_synchronize(stage.other));
    cr_assert_eq(calls, 7);
}

static void synchronize_inside(void *user) { *(lab_status *)user = lab_device_synchronize(); }

/* cuda.h, Execution Control: cuLaunchHostFunc. */
Test(graph, host_functions_must_not_call_the_library)
{
    scene stage = make_scene();
    lab_status status = LAB_SUCCESS;
    begin(&stage);
    LAB_CHECK(lab_stream_launch_host_func(stage.stream, synchronize_inside, &status));
    LAB_CHECK(lab_graph_launch(instantiate(end(&stage)), stage.stream));
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    cr_assert_eq(status, LAB_ERROR_NOT_PERMITTED);
}

/* cuda.h, Graph Management: cuGraphLaunch. */
Test(graph, empty_can_be_launched)
{
    scene stage = make_scene();
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int nodes, edges;
    begin(&stage);
    lab_graph *graph = end(&stage);
    LAB_CHECK(lab_graph_get_nodes(&node, &nodes, graph));
    LAB_CHECK(lab_graph_get_edges(&edge, &edges, graph));
    cr_assert(nodes == 0 && edges == 0);
    lab_graph_exec *exec = instantiate(graph);
    for (int i = 0; i < 3; i++) LAB_CHECK(lab_graph_launch(exec, stage.stream));
    cr_assert_eq(lab_stream_synchronize(stage.stream), LAB_SUCCESS);
}

/* CUDA Driver API, Stream synchronization behavior: a launch on the null stream. */
Test(graph, takes_the_null_streams_place_in_the_order)
{
    scene stage = make_scene();
    lab_stream *blocking;
    gate closed = GATE_CLOSED;
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    lab_graph_exec *exec = instantiate(capture_set(&stage, 9));
    gate_close_stream(&closed, blocking);
    LAB_CHECK(lab_graph_launch(exec, lab_stream_null()));
    cr_assert_eq(lab_stream_query(lab_stream_null()), LAB_ERROR_NOT_READY);
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(lab_stream_null()));
    cr_assert_eq(first_element(&stage), 9);
}

/* --- Refused launches --------------------------------------------------------------------------------------- */

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_a_stream_that_captures_invalidates_the_capture)
{
    scene stage = make_scene();
    lab_graph *graph;
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    begin(&stage);
    cr_assert_eq(lab_graph_launch(exec, stage.stream), LAB_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    cr_assert_eq(lab_stream_end_capture(&graph, stage.stream), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
    cr_assert_eq(lab_graph_launch(exec, stage.stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_synchronize(stage.stream));
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_another_stream_leaves_a_global_capture_alone)
{
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    LAB_CHECK(lab_stream_begin_capture(stage.stream, LAB_CAPTURE_GLOBAL));
    cr_assert_eq(lab_graph_launch(exec, stage.other), LAB_SUCCESS);
    cr_assert_eq(lab_graph_destroy(end(&stage)), LAB_SUCCESS);
}

/* cuda.h, Stream Management: cuThreadExchangeStreamCaptureMode. */
Test(graph, launching_on_the_null_stream_invalidates_a_blocking_streams_capture)
{
    scene stage = make_scene();
    lab_stream *blocking;
    lab_graph *graph;
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    LAB_CHECK(lab_stream_create(&blocking, LAB_STREAM_DEFAULT));
    LAB_CHECK(lab_stream_begin_capture(blocking, LAB_CAPTURE_RELAXED));
    cr_assert_eq(lab_graph_launch(exec, lab_stream_null()), LAB_ERROR_STREAM_CAPTURE_IMPLICIT);
    cr_assert_eq(lab_stream_end_capture(&graph, blocking), LAB_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* cuda.h, Module Management: cuModuleUnload. */
Test(graph, whose_module_was_unloaded_is_refused)
{
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 1);
    lab_graph_exec *exec = instantiate(graph), *late;
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_module_unload(stage.module));
    cr_assert_eq(lab_graph_launch(exec, stage.stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_instantiate(&late, graph), LAB_ERROR_INVALID_HANDLE);
    cr_assert_null(late);
}

/* --- Lifetimes ---------------------------------------------------------------------------------------------- */

/* cuda.h, Graph Management: cuGraphDestroy. */
Test(graph, destroyed_leaves_what_was_instantiated)
{
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 4);
    lab_graph_exec *exec = instantiate(graph);
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(
        lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory, 6.0f)));
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    cr_assert_eq(first_element(&stage), 6);
}

/* cuda.h, Graph Management: cuGraphExecDestroy. */
Test(graph, executable_destroyed_while_pending_runs_to_its_end)
{
    scene stage = make_scene();
    gate closed = GATE_CLOSED;
    int calls = 0;
    begin(&stage);
    launch_set(&stage, 8, stage.stream);
    LAB_CHECK(lab_stream_launch_host_func(stage.stream, count_call, &calls));
    lab_graph *graph = end(&stage);
    lab_graph_exec *exec = instantiate(graph);
    gate_close_stream(&closed, stage.other);
    LAB_CHECK(lab_graph_launch(exec, stage.other));
    LAB_CHECK(lab_graph_launch(exec, stage.other));
    LAB_CHECK(lab_graph_destroy(graph));
    LAB_CHECK(lab_graph_exec_destroy(exec));
    cr_assert_eq(lab_stream_query(stage.other), LAB_ERROR_NOT_READY, "destroying does not wait");
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.other));
    cr_assert_eq(first_element(&stage), 8);
    cr_assert_eq(calls, 2);
}

/* cuda.h, Graph Management: cuGraphDestroy. */
Test(graph, outlives_the_stream_that_captured_it)
{
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 4));
    LAB_CHECK(lab_stream_destroy(stage.stream));
    LAB_CHECK(lab_graph_launch(exec, stage.other));
    LAB_CHECK(lab_stream_synchronize(stage.other));
    cr_assert_eq(first_element(&stage), 4);
}

/* cuda.h, Context Management: cuCtxDestroy, cuCtxSetCurrent. */
Test(graph, ends_with_its_context)
{
    lab_context *context;
    LAB_CHECK(lab_context_create(&context, 0));
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 4);
    lab_graph_exec *exec = instantiate(graph);
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_graph_launch(exec, NULL), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(lab_graph_destroy(graph), LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Context Management: cuCtxDestroy, cuCtxSetCurrent. */
Test(graph, is_launched_in_its_own_context)
{
    lab_context *context;
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 4));
    LAB_CHECK(lab_context_create(&context, 0));
    cr_assert_eq(lab_graph_launch(exec, NULL), LAB_ERROR_INVALID_CONTEXT);
    scene foreign = make_scene();
    cr_assert_eq(
        lab_graph_exec_update_kernel(exec, 0, foreign.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory, 1.0f)),
        LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_context_destroy(context));
    cr_assert_eq(lab_graph_launch(exec, stage.stream), LAB_SUCCESS);
    LAB_CHECK(lab_stream_synchronize(stage.stream));
}

/* --- New arguments ------------------------------------------------------------------------------------------ */

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, updated_node_has_new_arguments_and_extents)
{
    scene stage = make_scene();
    float out[3] = {0};
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    for (int i = 1; i <= 20; i++) {
        LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(3), LAB_DIM(1), 0,
                                               LAB_ARGS(stage.memory, (float)i)));
        LAB_CHECK(lab_graph_launch(exec, stage.stream));
        LAB_CHECK(lab_stream_synchronize(stage.stream));
        LAB_CHECK(lab_memcpy_dtoh(out, stage.memory, sizeof out));
        cr_assert(out[0] == (float)i && out[1] == (float)i && out[2] == (float)i);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, updated_node_keeps_its_place_in_the_order)
{
    scene stage = make_scene();
    int calls;
    begin(&stage);
    LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    for (int i = 0; i < 3; i++)
        LAB_CHECK(lab_launch(stage.next, LAB_DIM(1), LAB_DIM(1), 0, stage.stream, LAB_ARGS(stage.left)));
    LAB_CHECK(lab_memcpy_dtoh_async(&calls, stage.memory, sizeof calls, stage.stream));
    lab_graph_exec *exec = instantiate(end(&stage));
    for (int node = 1; node <= 3; node++)
        LAB_CHECK(
            lab_graph_exec_update_kernel(exec, node, stage.next, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory)));
    for (int i = 0; i < 200; i++) {
        calls = 0;
        LAB_CHECK(lab_graph_launch(exec, stage.stream));
        LAB_CHECK(lab_stream_synchronize(stage.stream));
        cr_assert_eq(calls, 3, "launch %d: %d", i, calls);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_does_not_reach_launches_that_are_pending)
{
    scene stage = make_scene();
    gate closed = GATE_CLOSED;
    float seen[3] = {0};
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    gate_close_stream(&closed, stage.other);
    for (int i = 0; i < 3; i++) {
        LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0,
                                               LAB_ARGS(stage.memory, 10.0f + (float)i)));
        LAB_CHECK(lab_graph_launch(exec, stage.other));
        LAB_CHECK(
            lab_memcpy_dtod_async(stage.left + sizeof(float) * (size_t)i, stage.memory, sizeof(float), stage.other));
    }
    LAB_CHECK(
        lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory, 99.0f)));
    gate_open(&closed);
    LAB_CHECK(lab_stream_synchronize(stage.other));
    LAB_CHECK(lab_memcpy_dtoh(seen, stage.left, sizeof seen));
    for (int i = 0; i < 3; i++) cr_assert_eq(seen[i], 10.0f + (float)i, "launch %d saw %g", i, (double)seen[i]);
    cr_assert_eq(first_element(&stage), 12);
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_may_name_another_kernel)
{
    scene stage = make_scene();
    lab_graph_exec *exec = instantiate(capture_set(&stage, 1));
    LAB_CHECK(lab_memset_async(stage.memory, 0, BYTES, stage.stream));
    LAB_CHECK(lab_graph_exec_update_kernel(exec, 0, stage.next, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory)));
    for (int i = 0; i < 5; i++) LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    int calls;
    LAB_CHECK(lab_memcpy_dtoh(&calls, stage.memory, sizeof calls));
    cr_assert_eq(calls, 5);
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_leaves_the_graph_and_what_else_was_instantiated)
{
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 1);
    lab_graph_exec *updated = instantiate(graph), *untouched = instantiate(graph);
    LAB_CHECK(
        lab_graph_exec_update_kernel(updated, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory, 2.0f)));
    lab_graph_exec *late = instantiate(graph);
    lab_graph_exec *each[] = {updated, untouched, late};
    for (int i = 0; i < 3; i++) {
        LAB_CHECK(lab_graph_launch(each[i], stage.stream));
        LAB_CHECK(lab_stream_synchronize(stage.stream));
        cr_assert_eq(first_element(&stage), i == 0 ? 2 : 1, "%d", i);
    }
}

/* cuda.h, Graph Management: cuGraphExecKernelNodeSetParams. */
Test(graph, update_is_checked_as_a_launch_is)
{
    scene stage = make_scene();
    begin(&stage);
    launch_set(&stage, 1, stage.stream);
    LAB_CHECK(lab_memset_async(stage.left, 0, BYTES, stage.stream));
    lab_graph_exec *exec = instantiate(end(&stage));
    lab_dim one = LAB_DIM(1);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, stage.set, one, one, 0, LAB_ARGS(stage.memory)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, stage.set, one, one, 0, LAB_ARGS(stage.memory, 1.0)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(0), one, 0, LAB_ARGS(stage.memory, 1.0f)),
                 LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_exec_update_kernel(exec, 0, (lab_function){0}, one, one, 0, LAB_ARGS(stage.memory, 1.0f)),
                 LAB_ERROR_INVALID_HANDLE);
    int nodes_that_are_none[] = {-1, 1, 2, 1 << 30};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(lab_graph_exec_update_kernel(exec, nodes_that_are_none[i], stage.set, one, one, 0,
                                                  LAB_ARGS(stage.memory, 1.0f)),
                     LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_graph_launch(exec, stage.stream));
    LAB_CHECK(lab_stream_synchronize(stage.stream));
    cr_assert_eq(first_element(&stage), 1, "a refused update changes nothing");
}

/* --- The record --------------------------------------------------------------------------------------------- */

/* lab.h, lab_trace.h: what a record holds of a graph. */
Test(graph, record_has_nodes_and_launches)
{
    scene stage = make_scene();
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    begin(&stage);
    launch_set(&stage, 1, stage.stream);
    wait_for(stage.fork, stage.forked, stage.stream);
    LAB_CHECK(lab_memset_async(stage.left, 0, BYTES, stage.fork));
    wait_for(stage.stream, stage.joined, stage.fork);
    lab_graph_exec *exec = instantiate(end(&stage));
    for (int i = 0; i < 2; i++) LAB_CHECK(lab_graph_launch(exec, stage.other));
    LAB_CHECK(lab_trace_end(&trace));
    static const lab_op_kind kind[] = {LAB_OP_GRAPH_NODE,  LAB_OP_GRAPH_NODE,   LAB_OP_GRAPH_CREATE,
                                       LAB_OP_EXEC_CREATE, LAB_OP_GRAPH_LAUNCH, LAB_OP_GRAPH_LAUNCH};
    cr_assert_eq(trace->ops, 6, "%zu operations", trace->ops);
    for (int i = 0; i < 6; i++) cr_assert_eq(trace->op[i].kind, kind[i], "operation %d", i);
    cr_assert_eq(trace->op[1].waits, 1);
    cr_assert_eq(trace->op[1].waits_for[0], 1);
    for (int i = 4; i < 6; i++) {
        cr_assert(trace->op[i].end_ns >= trace->op[i].start_ns && trace->op[i].start_ns > 0);
        cr_assert_eq(strncmp(trace->op[i].name, "graph ", 6), 0, "%s", trace->op[i].name);
        cr_assert_gt(trace->op[i].line, 0);
    }
    lab_trace_free(trace);
}

/* lab.h, lab_trace.h: what a record holds of a graph. */
Test(graph, record_ends_while_a_stream_captures_and_leaves_the_capture_alone)
{
    scene stage = make_scene();
    lab_trace *trace;
    LAB_CHECK(lab_trace_begin());
    begin(&stage);
    launch_set(&stage, 1, stage.other);
    LAB_CHECK(lab_trace_end(&trace));
    cr_assert_eq(trace->ops, 1);
    cr_assert_gt(trace->op[0].end_ns, 0);
    lab_trace_free(trace);
    LAB_CHECK(lab_graph_destroy(end(&stage)));
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
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 1);
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
    cr_assert_eq(lab_graph_launch(exec, stage.stream), LAB_ERROR_INVALID_HANDLE);
    cr_assert_eq(
        lab_graph_exec_update_kernel(exec, 0, stage.set, LAB_DIM(1), LAB_DIM(1), 0, LAB_ARGS(stage.memory, 1.0f)),
        LAB_ERROR_INVALID_HANDLE);
}

/* cuda.h, Data types used by CUDA driver: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE. */
Test(graph, refuses_null)
{
    scene stage = make_scene();
    lab_graph *graph = capture_set(&stage, 1);
    lab_graph_exec *exec = instantiate(graph), *none;
    const lab_graph_node *node;
    const lab_graph_edge *edge;
    int count;
    cr_assert_eq(lab_graph_instantiate(NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_instantiate(&none, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_nodes(NULL, &count, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_nodes(&node, NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_edges(NULL, &count, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_edges(&edge, NULL, graph), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_get_nodes(&node, &count, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_save_dot(graph, NULL), LAB_ERROR_INVALID_VALUE);
    cr_assert_eq(lab_graph_launch(NULL, stage.stream), LAB_ERROR_INVALID_VALUE);
    LAB_CHECK(lab_stream_destroy(stage.other));
    cr_assert_eq(lab_graph_launch(exec, stage.other), LAB_ERROR_INVALID_HANDLE);
}
