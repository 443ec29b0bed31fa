#include "linked.h"

__constant__ int weights[3] = {100, 200, 300};
static __device__ int own = 1000;
static __constant__ int fixed = 20000;

__device__ float halve(float x) { return counted(x) / 2; }
__device__ float shape::area() const { return side * side; }

extern "C" __device__ int thirds = 1;
extern "C" __device__ float third(float x)
{
    atomicAdd(&thirds, 1);
    return x / 3;
}
extern "C" __host__ __device__ int squared(int x) { return x * x; }
extern "C" __global__ void divide(float *x) { *x = third(*x); }

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
    int *one = new int(1); // no header declares it
    *x += own + fixed + calls;
    shared_count += *one;
    delete one;
}

void other_step(float *x)
{
    step<<<1, 1>>>(x);
    cudaDeviceSynchronize();
}

static __device__ float changed(float x) { return x * 10; }
void other_change(float *x) { change<changed><<<1, 1>>>(x); }

void other_increase(float *x) { increase<7><<<1, 1>>>(x); }

int other_own()
{
    int value;
    cudaMemcpyFromSymbol(&value, own, sizeof value);
    return value;
}
