// Memory of a graph is there after the node that allocates it and before what frees it. Each way to use it elsewhere is
// named, and the right program next to it is not.
// run LAB_ORDER=report WAY=before: graph node kernel add (finds_graph_memory.cu:99, launched at finds_graph_memory.cu:102) writes device memory that graph node memory alloc (finds_graph_memory.cu:99, launched at finds_graph_memory.cu:102) writes, and nothing orders them
// run LAB_ORDER=report WAY=during: graph node memory free (finds_graph_memory.cu:99, launched at finds_graph_memory.cu:102) writes device memory that graph node kernel add
// run LAB_ORDER=report WAY=during: LAB_ORDER: 1 finding in
// run LAB_ORDER=report WAY=after: let graph node memory free (finds_graph_memory.cu:99) wait for graph node kernel add (finds_graph_memory.cu:99), not the other way round
// run LAB_ORDER=report WAY=outside: kernel add (finds_graph_memory.cu:103) writes device memory that pool free (finds_graph_memory.cu:102) has freed
// run LAB_ORDER=report WAY=stream: kernel add (finds_graph_memory.cu:104) writes device memory that pool alloc (finds_graph_memory.cu:102) gives to the later work of its own stream
// run LAB_ORDER=report WAY=freed: kernel add (finds_graph_memory.cu:106) writes device memory that pool free (finds_graph_memory.cu:105) has freed
// run LAB_ORDER=report WAY=captured: kernel add (finds_graph_memory.cu:53, launched at finds_graph_memory.cu:56) writes device memory that graph node memory free (finds_graph_memory.cu:52, launched
// run LAB_ORDER=report WAY=second: graph node kernel add (finds_graph_memory.cu:67, launched at finds_graph_memory.cu:73) writes device memory that pool free (finds_graph_memory.cu:71) has freed
// run LAB_ORDER=report WAY=second: LAB_ORDER: 1 finding in
// run LAB_ORDER=report WAY=again: LAB_ORDER: no findings in
// run LAB_MEMCHECK=1 WAY=again: right
// run LAB_ORDER=report WAY=kept: LAB_ORDER: no findings in
// run LAB_ORDER=report WAY=kept: right
// run LAB_MEMCHECK=1 WAY=early: where nothing is allocated; the launch is at finds_graph_memory.cu:101
// run LAB_MEMCHECK=1 WAY=outside: of the 4096 bytes allocated at finds_graph_memory.cu:102, which were freed at finds_graph_memory.cu:102; the launch is at finds_graph_memory.cu:103
// run LAB_MEMCHECK=1 WAY=freed: which were freed at finds_graph_memory.cu:105; the launch is at finds_graph_memory.cu:106
// run LAB_MEMCHECK=1 WAY=kept: right
// run LAB_INITCHECK=1 WAY=kept: right
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int n = 1 << 10;
static const char *way;
static cudaStream_t one, two;

__global__ void add(int *x, int y) { x[blockIdx.x * blockDim.x + threadIdx.x] += y; }

static bool is(const char *name) { return strcmp(way, name) == 0; }

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, bool waits, int *x)
{
    cudaGraphNode_t node;
    int y = 1;
    void *arguments[] = {&x, &y};
    cudaKernelNodeParams launch = {(void *)add, n / 256, 256, 0, arguments, NULL};
    cudaGraphAddKernelNode(&node, graph, &after, waits, &launch);
    return node;
}

static void capture()
{
    int *x;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&x, n * sizeof *x, one);
    add<<<n / 256, 256, 0, one>>>(x, 1);
    cudaFreeAsync(x, one);
    add<<<n / 256, 256, 0, one>>>(x, 1);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, one);
}

// Another graph that uses the memory, captured when it is not there yet, or when it is there for a launch before the one
// that counts.
static void use_in_a_second_graph(int *x, cudaGraphExec_t first)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    if (is("again")) cudaGraphLaunch(first, one);
    cudaStreamBeginCapture(two, cudaStreamCaptureModeGlobal);
    add<<<n / 256, 256, 0, two>>>(x, 1);
    cudaStreamEndCapture(two, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    if (is("second")) cudaGraphLaunch(first, one);
    cudaFreeAsync(x, one);
    if (is("again")) cudaGraphLaunch(first, one);
    cudaGraphLaunch(exec, one);
    if (is("again")) cudaFreeAsync(x, one);
}

int main()
{
    way = getenv("WAY");
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    if (is("captured")) capture();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node, last;
    cudaMemAllocNodeParams memory = {};
    memory.poolProps = {cudaMemAllocationTypePinned, cudaMemHandleTypeNone, {cudaMemLocationTypeDevice, 0}};
    memory.bytesize = n * sizeof(int);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory);
    int *x = (int *)memory.dptr;
    cudaMemsetParams zero = {x, 0, 0, 1, memory.bytesize, 1};
    cudaGraphAddMemsetNode(&node, graph, &node, 1, &zero);
    last = add_kernel(graph, node, !is("before"), x);
    if (is("during"))
        cudaGraphAddMemFreeNode(&last, graph, &node, 1, x);
    else if (is("after") || is("outside"))
        cudaGraphAddMemFreeNode(&last, graph, &last, 1, x);
    if (is("after")) add_kernel(graph, last, true, x);
    cudaGraphInstantiate(&exec, graph, 0);
    if (is("second") || is("again")) use_in_a_second_graph(x, exec);
    if (is("early")) add<<<n / 256, 256, 0, one>>>(x, 1);
    cudaGraphLaunch(exec, one);
    if (is("outside") || is("kept")) add<<<n / 256, 256, 0, one>>>(x, 1);
    if (is("stream")) add<<<n / 256, 256, 0, two>>>(x, 1);
    if (is("freed") || is("kept")) cudaFreeAsync(x, one);
    if (is("freed")) add<<<n / 256, 256, 0, one>>>(x, 1);
    if (is("kept")) {
        for (int i = 0; i < 2; i++) {

            // The memory is there again, for a stream that waits for the launch.

            cudaEvent_t event;
            cudaEventCreate(&event);
            cudaGraphLaunch(exec, one);
            cudaEventRecord(event, one), cudaStreamWaitEvent(two, event, 0);
            add<<<n / 256, 256, 0, two>>>(x, 1);
            cudaFreeAsync(x, two);
        }
    }
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "right" : "wrong");
}
