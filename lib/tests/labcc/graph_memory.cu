// Memory that nodes of graphs allocate and free: its address is fixed, it is there between the two nodes, and CUDA's
// rules say what may be freed where. Built node by node and captured.
#include <cstdio>

const int n = 1 << 10;
static int host[n];
static cudaStream_t stream, other;

__global__ void put(int *x, int value) { x[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(int *y, const int *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += x[i];
}

static void check(const char *what, cudaError_t found)
{
    printf("%s: %s\n", what, cudaGetErrorName(found));
    cudaGetLastError();
}

static cudaMemAllocNodeParams of_bytes(size_t bytes)
{
    cudaMemAllocNodeParams made = {};
    made.poolProps.allocType = cudaMemAllocationTypePinned;
    made.poolProps.location.type = cudaMemLocationTypeDevice;
    made.bytesize = bytes;
    return made;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t after, const void *kernel, void **arguments)
{
    cudaGraphNode_t node;
    cudaKernelNodeParams launch = {(void *)kernel, n / 256, 256, 0, arguments, NULL};
    cudaGraphAddKernelNode(&node, graph, &after, 1, &launch);
    return node;
}

// put(x, value) into new memory, and a copy to the host; the memory is freed at the end or left.
static int *build(cudaGraph_t *graph, int value, bool frees)
{
    cudaGraphNode_t node;
    cudaGraphCreate(graph, 0);
    cudaMemAllocNodeParams memory = of_bytes(sizeof host);
    cudaGraphAddMemAllocNode(&node, *graph, NULL, 0, &memory);
    void *arguments[] = {&memory.dptr, &value};
    node = add_kernel(*graph, node, (const void *)put, arguments);
    cudaGraphAddMemcpyNode1D(&node, *graph, &node, 1, host, memory.dptr, sizeof host, cudaMemcpyDeviceToHost);
    if (frees) cudaGraphAddMemFreeNode(&node, *graph, &node, 1, memory.dptr);
    return (int *)memory.dptr;
}

static size_t footprint(cudaGraphMemAttributeType which)
{
    size_t bytes = 0;
    cudaDeviceGetGraphMemAttribute(0, which, &bytes);
    return bytes;
}

static void freed_in_its_graph()
{
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec, second;
    cudaGraphNode_t node, nodes[4];
    cudaGraphNodeType type;
    size_t count = 4, zero = 0;
    int *x = build(&graph, 3, true);
    cudaGraphGetNodes(graph, nodes, &count);
    for (size_t i = 0; i < count; i++) cudaGraphNodeGetType(nodes[i], &type), printf("%d ", type);
    printf("are the types of %zu nodes, of which memory:", count);
    void *address;
    cudaMemAllocNodeParams memory;
    cudaGraphMemAllocNodeGetParams(nodes[0], &memory), cudaGraphMemFreeNodeGetParams(nodes[3], &address);
    printf(" %d %d\n", memory.dptr == x, address == x);
    check("free it in the graph twice", cudaGraphAddMemFreeNode(&node, graph, NULL, 0, x));
    check("free it outside", cudaFreeAsync(x, stream));
    check("clone the graph", cudaGraphClone(&clone, graph));
    cudaGraphCreate(&clone, 0);
    check("make it a child", cudaGraphAddChildGraphNode(&node, clone, NULL, 0, graph));
    check("free it in another graph", cudaGraphAddMemFreeNode(&node, clone, NULL, 0, x));
    check("instantiate", cudaGraphInstantiate(&exec, graph, 0));
    check("instantiate again", cudaGraphInstantiate(&second, graph, 0));
    printf("footprint before launches: %zu\n", footprint(cudaGraphMemAttrUsedMemCurrent));
    for (int i = 0; i < 3; i++) check("launch", cudaGraphLaunch(exec, i % 2 ? other : stream));
    cudaDeviceSynchronize();
    printf("%d, footprint after: %zu\n", host[n - 1], footprint(cudaGraphMemAttrReservedMemCurrent) >> 20);
    cudaGraphExecUpdateResultInfo result;
    check("update", cudaGraphExecUpdate(exec, graph, &result));
    cudaGraphExecDestroy(exec);
    check("instantiate after the end of the first", cudaGraphInstantiate(&exec, graph, 0));
    cudaGraphDestroy(graph);
    check("launch without its graph", cudaGraphLaunch(exec, stream));
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(exec), cudaGraphDestroy(clone);
    cudaDeviceGraphMemTrim(0);
    printf("trimmed: %zu, most: %zu\n", footprint(cudaGraphMemAttrUsedMemCurrent),
           footprint(cudaGraphMemAttrUsedMemHigh) >> 20);
    check("reset the mark", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    check("set what is used", cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
    printf("most: %zu, reserved: %zu\n", footprint(cudaGraphMemAttrUsedMemHigh),
           footprint(cudaGraphMemAttrReservedMemHigh) >> 20);
    check("of no device", cudaDeviceGraphMemTrim(99));
}

static void left_unfreed()
{
    cudaGraph_t graph, frees;
    cudaGraphExec_t exec, freeing;
    cudaGraphNode_t node;
    int *x = build(&graph, 5, false);
    check("free what was not launched", cudaFree(x));
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphCreate(&frees, 0);
    check("free it in another graph", cudaGraphAddMemFreeNode(&node, frees, NULL, 0, x));
    check("and in its own", cudaGraphAddMemFreeNode(&node, graph, NULL, 0, x));
    cudaGraphInstantiate(&freeing, frees, 0);
    check("launch what frees it first", cudaGraphLaunch(freeing, stream));
    check("launch", cudaGraphLaunch(exec, stream));
    check("launch again", cudaGraphLaunch(exec, stream));
    put<<<n / 256, 256, 0, stream>>>(x, 7);
    cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream);
    check("free it by a launch", cudaGraphLaunch(freeing, stream));
    cudaStreamSynchronize(stream);
    printf("%d\n", host[0]);
    check("free it twice", cudaFreeAsync(x, stream));
    check("launch after that", cudaGraphLaunch(exec, other));
    check("cudaFreeAsync", cudaFreeAsync(x, other));
    check("launch after that", cudaGraphLaunch(exec, stream));
    cudaDeviceGraphMemTrim(0);
    printf("a trim keeps %zu\n", footprint(cudaGraphMemAttrUsedMemCurrent) >> 20);
    check("cudaFree", cudaFree(x));
    cudaGraphExecDestroy(exec);
    cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch);
    for (int i = 0; i < 3; i++) check("launch that frees first", cudaGraphLaunch(exec, stream));
    cudaGraphExecDestroy(exec), cudaGraphExecDestroy(freeing), cudaGraphDestroy(graph), cudaGraphDestroy(frees);
    check("free it when the graph is gone", cudaFree(x));
    check("and again", cudaFree(x));
}

static void captured()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t nodes[8];
    cudaGraphNodeType type;
    size_t count = 8;
    int *x, *y, *outside;
    cudaMallocAsync(&outside, sizeof host, stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    check("cudaMallocAsync", cudaMallocAsync(&x, sizeof host, stream));
    cudaMallocAsync(&y, sizeof host, stream);
    put<<<n / 256, 256, 0, stream>>>(x, 20), put<<<n / 256, 256, 0, stream>>>(y, 1);
    add<<<n / 256, 256, 0, stream>>>(y, x);
    check("cudaFreeAsync", cudaFreeAsync(x, stream));
    check("cudaFreeAsync of other memory", cudaFreeAsync(outside, stream));
    check("end", cudaStreamEndCapture(stream, &graph));
    cudaGraphGetNodes(graph, nodes, &count);
    for (size_t i = 0; i < count; i++) cudaGraphNodeGetType(nodes[i], &type), printf("%d ", type);
    printf("are the types of %zu nodes\n", count);
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < 2; i++) {
        check("launch", cudaGraphLaunch(exec, stream));
        cudaMemcpyAsync(host, y, sizeof host, cudaMemcpyDeviceToHost, stream);
        cudaFreeAsync(y, stream);
    }
    cudaStreamSynchronize(stream);
    printf("%d\n", host[n / 2]);
    cudaFree(outside), cudaGraphExecDestroy(exec), cudaGraphDestroy(graph);
}

static void misused()
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    int *plain;
    cudaMalloc(&plain, sizeof *plain);
    cudaGraphCreate(&graph, 0);
    cudaMemAllocNodeParams memory = of_bytes(0);
    check("0 bytes", cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    memory = of_bytes(16), memory.poolProps.allocType = cudaMemAllocationTypeInvalid;
    check("not pinned", cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    memory = of_bytes(16), memory.poolProps.location.id = 99;
    check("of no device", cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    memory = of_bytes(16), memory.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    check("shared", cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &memory));
    check("no parameters", cudaGraphAddMemAllocNode(&node, graph, NULL, 0, NULL));
    check("free other memory", cudaGraphAddMemFreeNode(&node, graph, NULL, 0, plain));
    check("free nothing", cudaGraphAddMemFreeNode(&node, graph, NULL, 0, NULL));
    size_t count = 0;
    cudaGraphGetNodes(graph, NULL, &count);
    printf("%zu nodes\n", count);
    cudaGraphDestroy(graph), cudaFree(plain);
}

int main()
{
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    freed_in_its_graph();
    left_unfreed();
    captured();
    misused();
    check("at the end", cudaDeviceSynchronize());
}
