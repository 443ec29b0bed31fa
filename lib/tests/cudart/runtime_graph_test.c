/* The runtime's graphs: captured, and built node by node. */
#include "kit.h"

#include <stdint.h>

static int order[8], ran;
static void note(void *user) { order[ran++] = (int)(size_t)user; }

static cudaGraphNode_t add_note(cudaGraph_t graph, int number, const cudaGraphNode_t *after, size_t count)
{
    const struct cudaHostNodeParams call = {note, (void *)(size_t)number};
    cudaGraphNode_t node;
    MUST(cudaGraphAddHostNode(&node, graph, after, count, &call));
    return node;
}

static int place_of(int number)
{
    for (int i = 0; i < ran; i++)
        if (order[i] == number) return i;
    return -1;
}

Test(runtime_graph, a_captured_graph_runs_once_a_launch_and_shows_its_nodes)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node[4];
    enum cudaGraphNodeType type;
    size_t count = 4, edges = 0;
    void *memory;
    unsigned char byte = 0;
    MUST(cudaMalloc(&memory, 16));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMemsetAsync(memory, 9, 16, stream));
    MUST(cudaLaunchHostFunc(stream, note, NULL));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphGetNodes(graph, node, &count));
    MUST(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    MUST(cudaGraphNodeGetType(node[1], &type));
    cr_assert(count == 2 && edges == 1 && type == cudaGraphNodeTypeHost);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(&byte, memory, 1, cudaMemcpyDeviceToHost));
    cr_assert(byte == 9 && ran == 2);
    MUST(cudaGraphExecDestroy(exec));
}

Test(runtime_graph, nodes_run_after_those_that_they_name)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t join;
    size_t edges = 0;
    MUST(cudaGraphCreate(&graph, 0));
    const cudaGraphNode_t last = add_note(graph, 4, NULL, 0), first = add_note(graph, 1, NULL, 0);
    const cudaGraphNode_t middle[] = {add_note(graph, 2, &first, 1), add_note(graph, 3, &first, 1)};
    MUST(cudaGraphAddEmptyNode(&join, graph, middle, 2));
    MUST(cudaGraphAddDependencies(graph, &join, &last, 1));
    MUST(cudaGraphGetEdges(graph, NULL, NULL, &edges));
    cr_assert_eq(edges, 5);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    cr_assert(ran == 4 && place_of(1) == 0 && place_of(4) == 3, "%d ran, the first is %d", ran, order[0]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
}

Test(runtime_graph, nodes_that_wait_for_each_other_in_a_circle_are_refused)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&graph, 0));
    const cudaGraphNode_t one = add_note(graph, 1, NULL, 0), two = add_note(graph, 2, &one, 1);
    MUST(cudaGraphAddDependencies(graph, &two, &one, 1));
    cr_assert_eq(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
    MUST(cudaGraphDestroy(graph));
}

Test(runtime_graph, copies_fills_and_children_are_nodes)
{
    cudaGraph_t graph, child, copy;
    cudaGraphExec_t exec;
    cudaGraphNode_t fill, down, nested;
    int value = 0;
    void *memory;
    MUST(cudaMalloc(&memory, sizeof value));
    const struct cudaMemsetParams filled = {
        .dst = memory, .value = 0x01010101, .elementSize = 4, .width = 1, .height = 1};
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&child, 0));
    MUST(cudaGraphAddMemsetNode(&fill, child, NULL, 0, &filled));
    MUST(cudaGraphAddChildGraphNode(&nested, graph, NULL, 0, child));
    MUST(cudaGraphAddMemcpyNode1D(&down, graph, &nested, 1, &value, memory, sizeof value, cudaMemcpyDeviceToHost));
    MUST(cudaGraphDestroy(child));
    MUST(cudaGraphClone(&copy, graph));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphInstantiate(&exec, copy, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    cr_assert_eq(value, 0x01010101);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(copy));
}

Test(runtime_graph, a_copy_of_a_captured_graph_outlives_it)
{
    cudaStream_t stream;
    cudaGraph_t graph, copy, parent;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    unsigned char *memory, value = 0;
    size_t count = 0;
    MUST(cudaMalloc((void **)&memory, 1));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMemsetAsync(memory, 7, 1, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphClone(&copy, graph));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphGetNodes(copy, NULL, &count));
    cr_assert_eq(count, 1);
    MUST(cudaGraphCreate(&parent, 0));
    cr_assert_eq(cudaGraphAddChildGraphNode(&node, parent, NULL, 0, copy), cudaErrorNotSupported);
    MUST(cudaGraphInstantiate(&exec, copy, 0));
    MUST(cudaGraphDestroy(copy));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaMemcpy(&value, memory, 1, cudaMemcpyDeviceToHost));
    cr_assert_eq(value, 7);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(parent));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(memory));
}

Test(runtime_graph, an_update_takes_a_graph_of_the_same_shape)
{
    cudaGraph_t graph, same;
    cudaGraphExec_t exec;
    cudaGraphExecUpdateResultInfo result;
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphCreate(&same, 0));
    add_note(graph, 1, NULL, 0);
    add_note(same, 5, NULL, 0);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphExecUpdate(exec, same, &result));
    cr_assert_eq(result.result, cudaGraphExecUpdateSuccess);
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaDeviceSynchronize());
    cr_assert(ran == 1 && order[0] == 5);
    add_note(same, 6, NULL, 0);
    cr_assert_eq(cudaGraphExecUpdate(exec, same, &result), cudaErrorGraphExecUpdateFailure);
    cr_assert_eq(result.result, cudaGraphExecUpdateErrorTopologyChanged);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphDestroy(same));
}

/* What the stream's graph says when it has run after its pinned memory was freed. No call destroys the graphs of a
 * device that has failed: they stay, where the leak check finds them. */
static cudaError_t run_freed(cudaStream_t stream, void *pinned)
{
    static cudaGraph_t graph;
    static cudaGraphExec_t exec;
    setenv("LAB_CUDA_ERRORS", "none", 1);
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaFreeHost(pinned));
    MUST(cudaGraphLaunch(exec, stream));
    return cudaStreamSynchronize(stream);
}

enum { PINNED_BYTES = 1 << 20 };

static cudaStream_t capture_with(void **pinned)
{
    cudaStream_t stream;
    MUST(cudaMallocHost(pinned, PINNED_BYTES));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    return stream;
}

Test(runtime_graph, a_copy_on_the_host_from_freed_pinned_memory_is_an_illegal_address)
{
    void *to = malloc(PINNED_BYTES), *pinned;
    cudaStream_t stream = capture_with(&pinned);
    MUST(cudaMemcpyAsync(to, pinned, PINNED_BYTES, cudaMemcpyHostToHost, stream));
    cr_assert_eq(run_freed(stream, pinned), cudaErrorIllegalAddress);
    free(to);
}

Test(runtime_graph, a_fill_of_freed_pinned_memory_is_an_illegal_address)
{
    void *pinned;
    cudaStream_t stream = capture_with(&pinned);
    MUST(cudaMemsetAsync(pinned, 1, PINNED_BYTES, stream));
    cr_assert_eq(run_freed(stream, pinned), cudaErrorIllegalAddress);
}

Test(runtime_graph, a_copy_on_the_host_to_freed_pinned_memory_fails_with_kernels_apart)
{
    void *from = calloc(1, PINNED_BYTES), *pinned;
    setenv("LAB_KERNELS_APART", "1", 1);
    cudaStream_t stream = capture_with(&pinned);
    MUST(cudaMemcpyAsync(pinned, from, PINNED_BYTES, cudaMemcpyHostToHost, stream));
    cr_assert_eq(run_freed(stream, pinned), cudaErrorIllegalAddress);
    free(from);
}

/* The leak check of the address sanitizer sees what is left of it. */
Test(runtime_graph, a_reset_takes_the_memory_that_a_launch_left_unfreed)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    void *memory;
    uint64_t reserved = 0;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    MUST(cudaMallocAsync(&memory, 16, stream));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &reserved));
    cr_assert_gt(reserved, 0);
    MUST(cudaDeviceReset());
    MUST(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &reserved));
    cr_assert_eq(reserved, 0);
}
