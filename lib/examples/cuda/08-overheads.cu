// Overheads: what is made once is kept. The first call pays for stream, memory and start-up, and the next 49 do not.
#include "check.h"

const int COUNT = 512, CALLS = 50;

__global__ void add_to_histogram(int *bins, const int *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&bins[x[i] % 16], 1);
}

// What a call needs and the next one needs again.
struct workspace {
    cudaStream_t stream;
    int *x, *bins, *host_x, *host_bins;
    int made = 0;

    void prepare()
    {
        if (made++) return;
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        CHECK(cudaMalloc(&x, COUNT * sizeof(int)));
        CHECK(cudaMalloc(&bins, 16 * sizeof(int)));
        CHECK(cudaMallocHost(&host_x, COUNT * sizeof(int)));
        CHECK(cudaMallocHost(&host_bins, 16 * sizeof(int)));
#ifndef MISTAKE
        // New memory has undefined contents, even where it happens to be 0.
        CHECK(cudaMemsetAsync(bins, 0, 16 * sizeof(int), stream));
#endif
    }
};

static void count_numbers(workspace &here, int seed)
{
    here.prepare();
    for (int i = 0; i < COUNT; i++) here.host_x[i] = seed * i;
    CHECK(cudaMemcpyAsync(here.x, here.host_x, COUNT * sizeof(int), cudaMemcpyHostToDevice, here.stream));
    add_to_histogram<<<COUNT / 128, 128, 0, here.stream>>>(here.bins, here.x, COUNT);
    // The next call writes to host_x again.
    CHECK(cudaStreamSynchronize(here.stream));
}

int main()
{
    workspace here;
    for (int call = 1; call <= CALLS; call++) count_numbers(here, call);
    CHECK(cudaMemcpyAsync(here.host_bins, here.bins, 16 * sizeof(int), cudaMemcpyDeviceToHost, here.stream));
    CHECK(cudaStreamSynchronize(here.stream));
    int sum = 0;
    for (int b = 0; b < 16; b++) sum += here.host_bins[b];
    std::printf("calls: %d, numbers: %d, in bin 0: %d\n", here.made, sum, here.host_bins[0]);
    CHECK(cudaStreamDestroy(here.stream));
    CHECK(cudaFree(here.x));
    CHECK(cudaFree(here.bins));
    CHECK(cudaFreeHost(here.host_x));
    CHECK(cudaFreeHost(here.host_bins));
    return 0;
}
