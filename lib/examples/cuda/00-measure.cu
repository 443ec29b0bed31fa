// Measuring: a launch returns before the work is done, so the host waits before it asks for a time.
#include "check.h"

const int COUNT = 4096, WARM_UPS = 3, REPEATS = 10;

__global__ void add_index(int *numbers, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] += i;
}

int main()
{
    int *numbers, result[COUNT];
    float milliseconds[REPEATS];
    cudaEvent_t start, end;
    CHECK(cudaMalloc(&numbers, sizeof result));
    CHECK(cudaMemset(numbers, 0, sizeof result));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));

    // The first launches pay for what happens once.
    for (int k = 0; k < WARM_UPS; k++) add_index<<<COUNT / 256, 256>>>(numbers, COUNT);
    CHECK(cudaDeviceSynchronize());

    for (int k = 0; k < REPEATS; k++) {
        CHECK(cudaEventRecord(start));
        add_index<<<COUNT / 256, 256>>>(numbers, COUNT);
        CHECK(cudaEventRecord(end));
#ifndef MISTAKE
        CHECK(cudaEventSynchronize(end));
#endif
        // Without the wait the end event has not happened yet: "not ready".
        CHECK(cudaEventElapsedTime(&milliseconds[k], start, end));
    }

    CHECK(cudaMemcpy(result, numbers, sizeof result, cudaMemcpyDeviceToHost));
    int wrong = 0, negative = 0;
    for (int i = 0; i < COUNT; i++) wrong += result[i] != (WARM_UPS + REPEATS) * i;
    for (int k = 0; k < REPEATS; k++) negative += milliseconds[k] < 0;
    std::printf("launches: %d, measured: %d\n", WARM_UPS + REPEATS, REPEATS);
    std::printf("wrong numbers: %d, negative times: %d\n", wrong, negative);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaFree(numbers));
    return 0;
}
