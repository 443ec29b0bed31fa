// Ordering: five kernels on two streams with only the edges that they need, an urgent stream, a host function in turn.
#include "check.h"
#include <initializer_list>

const int COUNT = 1024;

__global__ void advance(int *to, const int *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 2 * from[i] + 1;
}

__global__ void mix(int *to, const int *a, const int *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = a[i] - b[count - 1 - i];
}

// Runs on a thread of the library when the stream comes to it. No CUDA call is allowed here.
static void CUDART_CB add_up(void *user)
{
    int *numbers = (int *)user;
    for (int i = 1; i < COUNT; i++) numbers[0] += numbers[i];
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    const dim3 grid(COUNT / 128), block(128);
    int *x, *u, *v, *p, *q, *r, *host, least, greatest;
    cudaStream_t one, two;
    cudaEvent_t u_done, p_done;
    for (int **each : {&x, &u, &v, &p, &q, &r}) CHECK(cudaMalloc(each, bytes));
    CHECK(cudaMallocHost(&host, bytes));
    // The lower number is the higher priority: a hint, which never replaces an edge.
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&one, cudaStreamNonBlocking, greatest));
    CHECK(cudaStreamCreateWithPriority(&two, cudaStreamNonBlocking, least));
    CHECK(cudaEventCreateWithFlags(&u_done, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&p_done, cudaEventDisableTiming));
    for (int i = 0; i < COUNT; i++) host[i] = i;
    CHECK(cudaMemcpy(x, host, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());

    advance<<<grid, block, 0, one>>>(u, x, COUNT);
    CHECK(cudaEventRecord(u_done, one));
    advance<<<grid, block, 0, two>>>(v, x, COUNT);
    CHECK(cudaStreamWaitEvent(two, u_done, 0));
    mix<<<grid, block, 0, two>>>(p, u, v, COUNT);
    CHECK(cudaEventRecord(p_done, two));
    advance<<<grid, block, 0, one>>>(q, u, COUNT);
#ifndef MISTAKE
    CHECK(cudaStreamWaitEvent(one, p_done, 0)); // r needs p, which the other stream makes
#endif
    mix<<<grid, block, 0, one>>>(r, p, q, COUNT);
    CHECK(cudaMemcpyAsync(host, r, bytes, cudaMemcpyDeviceToHost, one));
    CHECK(cudaLaunchHostFunc(one, add_up, host));
    CHECK(cudaStreamSynchronize(one));
    std::printf("sum: %d, last: %d\n", host[0], host[COUNT - 1]);

    CHECK(cudaEventDestroy(u_done));
    CHECK(cudaEventDestroy(p_done));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    for (int *each : {x, u, v, p, q, r}) CHECK(cudaFree(each));
    CHECK(cudaFreeHost(host));
    return 0;
}
