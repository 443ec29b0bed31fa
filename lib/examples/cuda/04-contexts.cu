// A host thread each: all share the primary context of the device. Each thread has its own default stream and memory.
// (A context a thread is possible with the driver API, costs memory and time, and is the exception.)
#include "check.h"
#include <thread>
#include <vector>

const int THREADS = 4, COUNT = 1024;

__global__ void shift(int *numbers, int count, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] += by;
}

#ifdef MISTAKE
static int *shared_by_all; // one buffer for all threads
#endif

static void run(int number, int devices, long long *sum)
{
    const size_t bytes = COUNT * sizeof(int);
    const cudaStream_t own = cudaStreamPerThread;
    int *host, *numbers;
    // The current device belongs to the thread.
    CHECK(cudaSetDevice(number % devices));
    CHECK(cudaMallocHost(&host, bytes));
#ifdef MISTAKE
    numbers = shared_by_all;
#else
    CHECK(cudaMalloc(&numbers, bytes));
#endif
    for (int i = 0; i < COUNT; i++) host[i] = i;
    CHECK(cudaMemcpyAsync(numbers, host, bytes, cudaMemcpyHostToDevice, own));
    shift<<<COUNT / 128, 128, 0, own>>>(numbers, COUNT, 10 * number);
    CHECK(cudaMemcpyAsync(host, numbers, bytes, cudaMemcpyDeviceToHost, own));
    CHECK(cudaStreamSynchronize(own));
    *sum = 0;
    for (int i = 0; i < COUNT; i++) *sum += host[i];
#ifndef MISTAKE
    CHECK(cudaFree(numbers));
#endif
    CHECK(cudaFreeHost(host));
}

int main()
{
    int devices;
    long long sum[THREADS];
    std::vector<std::thread> threads;
    CHECK(cudaGetDeviceCount(&devices));
#ifdef MISTAKE
    devices = 1;
    CHECK(cudaMalloc(&shared_by_all, COUNT * sizeof(int)));
#endif
    for (int k = 0; k < THREADS; k++) threads.emplace_back(run, k, devices, &sum[k]);
    for (std::thread &each : threads) each.join();
    for (int k = 0; k < THREADS; k++) std::printf("thread %d: %lld\n", k, sum[k]);
    return 0;
}
