// Several devices: parts of one array, and a ring in which each part passes on its numbers. With one device all parts
// are there, and the program prints the same.
#include "check.h"

const int PARTS = 4, COUNT = 512;

__global__ void fill(int *x, int part, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = 1000 * part + i;
}

__global__ void add(int *x, const int *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] += from[i];
}

int main()
{
    const size_t bytes = COUNT * sizeof(int);
    const dim3 grid(COUNT / 128), block(128);
    int devices, device[PARTS], *x[PARTS], *received[PARTS], *host;
    cudaStream_t stream[PARTS];
    cudaEvent_t filled[PARTS], arrived[PARTS];
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaMallocHost(&host, PARTS * bytes));

    for (int k = 0; k < PARTS; k++) {
        // Memory, streams and events belong to the device that is current when they are made.
        device[k] = k % devices;
        CHECK(cudaSetDevice(device[k]));
        CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&filled[k], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&arrived[k], cudaEventDisableTiming));
        CHECK(cudaMalloc(&x[k], bytes));
        CHECK(cudaMalloc(&received[k], bytes));
        fill<<<grid, block, 0, stream[k]>>>(x[k], k + 1, COUNT);
        CHECK(cudaEventRecord(filled[k], stream[k]));
    }

    // Each receiver copies from its left neighbour, when that one has filled its part.
    for (int k = 0; k < PARTS; k++) {
        int left = (k + PARTS - 1) % PARTS;
#ifndef MISTAKE
        CHECK(cudaStreamWaitEvent(stream[k], filled[left], 0));
#endif
        CHECK(cudaMemcpyPeerAsync(received[k], device[k], x[left], device[left], bytes, stream[k]));
        CHECK(cudaSetDevice(device[k]));
        CHECK(cudaEventRecord(arrived[k], stream[k]));
    }

    // A part changes when its right neighbour has its copy.
    for (int k = 0; k < PARTS; k++) {
        CHECK(cudaSetDevice(device[k]));
        CHECK(cudaStreamWaitEvent(stream[k], arrived[(k + 1) % PARTS], 0));
        add<<<grid, block, 0, stream[k]>>>(x[k], received[k], COUNT);
        CHECK(cudaMemcpyAsync(host + k * COUNT, x[k], bytes, cudaMemcpyDeviceToHost, stream[k]));
    }
    for (int k = 0; k < PARTS; k++) {
        CHECK(cudaStreamSynchronize(stream[k]));
        std::printf("part %d: %d to %d\n", k, host[k * COUNT], host[k * COUNT + COUNT - 1]);
    }
    return 0;
}
