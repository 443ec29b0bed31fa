// Memory pools: cudaMallocAsync takes memory in the order of a stream, and reuses what the stream has freed.
#include "check.h"

const int COUNT = 2048, STEPS = 20;

__global__ void fill(int *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = i % 100;
}

// Each number becomes the sum of its neighbours, modulo 1000.
__global__ void smooth(int *to, const int *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = (from[i == 0 ? 0 : i - 1] + from[i == count - 1 ? i : i + 1]) % 1000;
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    cudaStream_t stream, borrower;
    cudaEvent_t read;
    cudaMemPool_t pool;
    int *x, *host, *other;
    unsigned long long keep = ~0ull; // what is free stays in the pool, also over a synchronization
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&borrower, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&read, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&host, 2 * bytes));
    CHECK(cudaMalloc(&other, bytes));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));

    CHECK(cudaMallocAsync(&x, bytes, stream));
    fill<<<COUNT / 256, 256, 0, stream>>>(x, COUNT);
    for (int step = 0; step < STEPS; step++) {
        int *next;
        CHECK(cudaMallocAsync(&next, bytes, stream));
        smooth<<<COUNT / 256, 256, 0, stream>>>(next, x, COUNT);
        CHECK(cudaFreeAsync(x, stream));
        x = next;
    }
    CHECK(cudaMemcpyAsync(host, x, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));

    // Another stream borrows x. It is freed on the first stream, which has to wait for the borrower.
    smooth<<<COUNT / 256, 256, 0, borrower>>>(other, x, COUNT);
#ifndef MISTAKE
    CHECK(cudaEventRecord(read, borrower));
    CHECK(cudaStreamWaitEvent(stream, read, 0));
#endif
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaMallocAsync(&x, bytes, stream));
    fill<<<COUNT / 256, 256, 0, stream>>>(x, COUNT);
    CHECK(cudaFreeAsync(x, stream));
    CHECK(cudaMemcpyAsync(host + COUNT, other, bytes, cudaMemcpyDeviceToHost, borrower));
    CHECK(cudaDeviceSynchronize());

    long long sum[2] = {0, 0};
    for (int i = 0; i < 2 * COUNT; i++) sum[i / COUNT] += host[i] * (i % 13 + 1);
    std::printf("after %d steps: %lld, after one more: %lld\n", STEPS, sum[0], sum[1]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(borrower));
    CHECK(cudaEventDestroy(read));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(other));
    return 0;
}
