// A mistake of many programs: rows go to the device through one piece of pinned memory, which the host fills again
// while the copy of the row before still reads it.
#include "check.h"

const int ROWS = 8, COUNT = 1024;

__global__ void add_row(int *total, const int *row, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) total[i] += row[i];
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    int *staging, *row, *total, *result;
    cudaStream_t stream;
    cudaEvent_t copied;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    CHECK(cudaMallocHost(&staging, bytes));
    CHECK(cudaMallocHost(&result, bytes));
    CHECK(cudaMalloc(&row, bytes));
    CHECK(cudaMalloc(&total, bytes));
    // On the stream of the kernels: the null stream would not wait for them, nor they for it.
    CHECK(cudaMemsetAsync(total, 0, bytes, stream));

    for (int k = 0; k < ROWS; k++) {
#ifndef MISTAKE
        CHECK(cudaEventSynchronize(copied)); // of an event that was never recorded: returns at once
#endif
        for (int i = 0; i < COUNT; i++) staging[i] = (k + 1) * i % 97;
        CHECK(cudaMemcpyAsync(row, staging, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(copied, stream));
        add_row<<<COUNT / 256, 256, 0, stream>>>(total, row, COUNT);
    }

    CHECK(cudaMemcpyAsync(result, total, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    int sum = 0;
    for (int i = 0; i < COUNT; i++) sum += result[i];
    std::printf("first: %d, last: %d, sum: %d\n", result[1], result[COUNT - 1], sum);
    CHECK(cudaEventDestroy(copied));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(staging));
    CHECK(cudaFreeHost(result));
    CHECK(cudaFree(row));
    CHECK(cudaFree(total));
    return 0;
}
