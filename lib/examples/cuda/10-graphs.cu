// Graphs: a fork and a join are captured once, and launched 100 times.
#include "check.h"
#include <initializer_list>

const int COUNT = 1024, LAUNCHES = 100;

__global__ void step(int *to, const int *from, int factor, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = (factor * from[i] + 1) % 10007;
}

__global__ void join(int *x, const int *left, const int *right, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = (left[i] + right[i]) % 10007;
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    const dim3 grid(COUNT / 128), block(128);
    int host[COUNT], *x, *left, *right;
    cudaStream_t main_stream, side;
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    size_t nodes;
    for (int **each : {&x, &left, &right}) CHECK(cudaMalloc(each, bytes));
    CHECK(cudaStreamCreateWithFlags(&main_stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    for (int i = 0; i < COUNT; i++) host[i] = i;
    CHECK(cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());

    // Nothing runs while a stream is captured: its calls become the nodes and edges of a graph.
    CHECK(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(forked, main_stream));
    CHECK(cudaStreamWaitEvent(side, forked, 0));
    step<<<grid, block, 0, main_stream>>>(left, x, 2, COUNT);
    step<<<grid, block, 0, side>>>(right, x, 3, COUNT);
    CHECK(cudaEventRecord(joined, side));
#ifdef MISTAKE
    // The side stream joins too late: nothing orders its kernel and this one.
    join<<<grid, block, 0, main_stream>>>(x, left, right, COUNT);
    CHECK(cudaStreamWaitEvent(main_stream, joined, 0));
#else
    CHECK(cudaStreamWaitEvent(main_stream, joined, 0));
    join<<<grid, block, 0, main_stream>>>(x, left, right, COUNT);
#endif
    CHECK(cudaStreamEndCapture(main_stream, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));

    for (int k = 0; k < LAUNCHES; k++) CHECK(cudaGraphLaunch(executable, main_stream));
    CHECK(cudaStreamSynchronize(main_stream));
    CHECK(cudaMemcpy(host, x, bytes, cudaMemcpyDeviceToHost));
    long long sum = 0;
    for (int i = 0; i < COUNT; i++) sum += host[i];
    std::printf("nodes: %d, sum after %d launches: %lld\n", (int)nodes, LAUNCHES, sum);

    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(main_stream));
    CHECK(cudaStreamDestroy(side));
    for (int *each : {x, left, right}) CHECK(cudaFree(each));
    return 0;
}
