// Warp functions: 32 lanes add their numbers by shuffles, without shared memory.
#include "check.h"

const int COUNT = 1000, THREADS = 256;

__device__ int sum_of_warp(int mine)
{
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffffu, mine, half);
    return mine; // right in lane 0
}

__global__ void add_up(int *total, const int *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef MISTAKE
    // The mask names 32 lanes, and in the last warp some of them are not here.
    if (i < count) {
        int sum = sum_of_warp(x[i]);
        if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
    }
#else
    int sum = sum_of_warp(i < count ? x[i] : 0);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
#endif
}

// How many numbers are odd: a vote of each warp.
__global__ void count_odd(int *odd, const int *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, i < count && x[i] % 2 == 1);
    if (threadIdx.x % 32 == 0) atomicAdd(odd, __popc(votes));
}

int main()
{
    int host[COUNT], *x, *result, answer[2];
    for (int i = 0; i < COUNT; i++) host[i] = 3 * i + 1;
    CHECK(cudaMalloc(&x, sizeof host));
    CHECK(cudaMalloc(&result, sizeof answer));
    CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(result, 0, sizeof answer));
    add_up<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(&result[0], x, COUNT);
    count_odd<<<(COUNT + THREADS - 1) / THREADS, THREADS>>>(&result[1], x, COUNT);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(answer, result, sizeof answer, cudaMemcpyDeviceToHost));
    std::printf("sum: %d, odd: %d\n", answer[0], answer[1]);
    CHECK(cudaFree(x));
    CHECK(cudaFree(result));
    return 0;
}
