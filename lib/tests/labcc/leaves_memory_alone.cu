// A kernel that is given memory and leaves it alone does not use it, whatever else it does; another may write it.
// run LAB_ORDER=report: LAB_ORDER: no findings in
// run LAB_ORDER=report USED=1: LAB_ORDER: 2 findings in
// run LAB_ORDER=report USED=1: kernel compares (leaves_memory_alone.cu:40) reads device memory that fill (leaves_memory_alone.cu:34) writes
// run LAB_ORDER=report USED=1: graph node kernel compares (leaves_memory_alone.cu:52, launched at leaves_memory_alone.cu:56)
#include <cstdio>
#include <cstdlib>

__global__ void empty(int *) {}
__global__ void returns(int *x, int n)
{
    if (n > 3) return;
    const int value = x[n];
    (void)value;
}
__global__ void writes_other(int *, int *y) { y[threadIdx.x] = 1; }
__global__ void compares(int *x, int *y, bool used) { y[threadIdx.x] = used ? *x : x != nullptr; }
__global__ void waits(int *, int *y)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void compares_only(int *x, int *y) { y[threadIdx.x] = x != nullptr; }

int main()
{
    int *x, *y;
    cudaStream_t one, two;
    cudaEvent_t begun, forked;
    cudaStreamCreate(&one), cudaStreamCreate(&two), cudaEventCreate(&begun), cudaEventCreate(&forked);
    cudaMalloc(&x, 256), cudaMalloc(&y, 256);
    cudaMemsetAsync(x, 0, 256, one);
    empty<<<1, 64, 0, two>>>(x);
    returns<<<1, 64, 0, two>>>(x, 1);
    writes_other<<<1, 64, 0, two>>>(x, y);
    waits<<<1, 64, 0, two>>>(x, y);
    if (getenv("USED"))
        compares<<<1, 64, 0, two>>>(x, y, true);
    else
        compares_only<<<1, 64, 0, two>>>(x, y);
    cudaDeviceSynchronize();

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(one, cudaStreamCaptureModeRelaxed);
    cudaEventRecord(begun, one);
    cudaStreamWaitEvent(two, begun, 0);
    cudaMemsetAsync(x, 0, 256, one);
    if (getenv("USED"))
        compares<<<1, 64, 0, two>>>(x, y, true);
    else
        compares_only<<<1, 64, 0, two>>>(x, y);
    cudaEventRecord(forked, two), cudaStreamWaitEvent(one, forked, 0);
    cudaStreamEndCapture(one, &graph), cudaGraphInstantiate(&exec, graph, 0), cudaGraphLaunch(exec, one);
    cudaDeviceSynchronize();
}
