// Events: what one stream produces, another consumes. The wait is on the device; the host waits once, at the end.
#include "check.h"

const int COUNT = 4096;

__global__ void produce(int *between, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) between[i] = 3 * between[i] + 1;
}

__global__ void consume(int *result, const int *between, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) result[i] = between[i] + between[(i + 1) % count];
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    cudaStream_t producer, consumer;
    cudaEvent_t produced;
    int *host, *between, *result;
    CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&host, bytes));
    CHECK(cudaMalloc(&between, bytes));
    CHECK(cudaMalloc(&result, bytes));
    for (int i = 0; i < COUNT; i++) host[i] = i;

    CHECK(cudaMemcpyAsync(between, host, bytes, cudaMemcpyHostToDevice, producer));
#ifdef MISTAKE
    // An event stands for what was enqueued before it: here the copy, but not the kernel.
    CHECK(cudaEventRecord(produced, producer));
    produce<<<COUNT / 256, 256, 0, producer>>>(between, COUNT);
#else
    produce<<<COUNT / 256, 256, 0, producer>>>(between, COUNT);
    CHECK(cudaEventRecord(produced, producer));
#endif
    CHECK(cudaStreamWaitEvent(consumer, produced, 0));
    consume<<<COUNT / 256, 256, 0, consumer>>>(result, between, COUNT);
    CHECK(cudaMemcpyAsync(host, result, bytes, cudaMemcpyDeviceToHost, consumer));
    CHECK(cudaStreamSynchronize(consumer));

    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += host[i] != 3 * i + 1 + 3 * ((i + 1) % COUNT) + 1;
    std::printf("first: %d, last: %d, wrong: %d\n", host[0], host[COUNT - 1], wrong);
    CHECK(cudaEventDestroy(produced));
    CHECK(cudaStreamDestroy(producer));
    CHECK(cudaStreamDestroy(consumer));
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(between));
    CHECK(cudaFree(result));
    return 0;
}
