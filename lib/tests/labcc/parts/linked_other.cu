#include "linked.h"

__constant__ int weights[3] = {100, 200, 300};
static __device__ int own = 1000;
static __constant__ int fixed = 20000;

__device__ float halve(float x) { return counted(x) / 2; }
__device__ float shape::area() const { return side * side; }

// Threads wait for each other in a function of another file.
__device__ float block_sum(float x)
{
    __shared__ float all[128];
    all[threadIdx.x] = x;
    __syncthreads();
    float sum = 0;
    for (unsigned i = 0; i < blockDim.x; i++) sum += all[i];
    return sum;
}

static __global__ void step(float *x)
{
    *x += own + fixed + calls;
    shared_count += 1;
}

void other_step(float *x)
{
    step<<<1, 1>>>(x);
    cudaDeviceSynchronize();
}

void other_increase(float *x) { increase<7><<<1, 1>>>(x); }

int other_own()
{
    int value;
    cudaMemcpyFromSymbol(&value, own, sizeof value);
    return value;
}
