// Kernels: a grid-stride loop that is right for any launch, and a sum by a tree in shared memory.
#include "check.h"

const int BLOCKS = 8, THREADS = 128;

__global__ void scale(int *x, int factor, int count)
{
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < count; i += stride) x[i] *= factor;
}

__global__ void tree(int *partial, const int *x, int count)
{
    extern __shared__ int value[];
    int mine = 0;
    int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
    for (int i = first; i < count; i += stride) mine += x[i];
    value[threadIdx.x] = mine;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
#ifndef MISTAKE
        __syncthreads(); // the other threads have written what this one reads now
#endif
        if (threadIdx.x < half) value[threadIdx.x] += value[threadIdx.x + half];
    }
    if (threadIdx.x == 0) partial[blockIdx.x] = value[0];
}

static int sum_of(int count)
{
    int *x, *partial, *total, result, *host = new int[count + 1];
    for (int i = 0; i < count; i++) host[i] = i % 1000;
    CHECK(cudaMalloc(&x, (count + 1) * sizeof(int)));
    CHECK(cudaMalloc(&partial, BLOCKS * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemcpy(x, host, count * sizeof(int), cudaMemcpyHostToDevice));
    scale<<<3, 96>>>(x, 2, count);
    tree<<<BLOCKS, THREADS, THREADS * sizeof(int)>>>(partial, x, count);
    tree<<<1, THREADS, THREADS * sizeof(int)>>>(total, partial, BLOCKS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&result, total, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(x));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(total));
    delete[] host;
    return result;
}

int main()
{
    const int count[] = {0, 1, 31, 32, 33, 1000, 5007};
    for (int each : count) std::printf("%4d numbers: %d\n", each, sum_of(each));
    return 0;
}
