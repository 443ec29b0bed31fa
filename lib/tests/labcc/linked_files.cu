// options: -rdc=true %D/parts/linked_other.cu %D/parts/second.cu %D/parts/host.cpp %D/parts/plain.c -I%D/parts
// Kernels use functions and variables that another file defines. What is static stays each file's own, also as an
// argument of a template. The host's code names variables of another file.
#include "linked.h"
#include "parts.h"
#include <cstdio>

__device__ int calls;
__managed__ int shared_count = 5;
static __device__ int own = 3;
static __constant__ int fixed = 10;

__device__ float counted(float x)
{
    atomicAdd(&calls, 1);
    return x + own;
}

static __global__ void step(float *x) { *x = halve(*x) + own + fixed + weights[1]; }
__global__ void sum(float *x)
{
    const shape square = {2};
    const float found = block_sum(threadIdx.x + square.area());
    if (threadIdx.x == 0) *x = found;
}

static __device__ float changed(float x) { return x + weights[2]; }

__global__ void as_in_c(float *x)
{
    const float one = third(*x);
    *x = one + squared(6) + thirds + fabsf(-1) + abs(-3);
}

int main()
{
    float *x, host = 8;
    int count = 0, plain_sum, *second_sum;
    cudaMalloc(&x, sizeof *x);
    cudaMemcpy(x, &host, sizeof host, cudaMemcpyHostToDevice);
    step<<<1, 1>>>(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host);
    other_step(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, calls, sizeof count);
    printf("%g, %d calls, %d\n", host, count, shared_count);
    sum<<<1, 100>>>(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g %d\n", host, other_own());
    increase<7><<<1, 1>>>(x);
    other_increase(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host);

    const int more[3] = {1, 2, 3};
    change<changed><<<1, 1>>>(x);
    cudaMemcpyToSymbol(weights, more, sizeof more);
    change<changed><<<1, 1>>>(x);
    other_change(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host);

    host = 9;
    cudaMemcpy(x, &host, sizeof host, cudaMemcpyHostToDevice);
    as_in_c<<<1, 1>>>(x);
    divide<<<1, 1>>>(x);
    cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&count, thirds, sizeof count);
    printf("%g, %d thirds, %d\n", host, count, squared(2));

    cudaMalloc(&second_sum, sizeof *second_sum);
    cudaMemset(second_sum, 0, sizeof *second_sum);
    second(second_sum);
    cudaMemcpy(&plain_sum, second_sum, sizeof plain_sum, cudaMemcpyDeviceToHost);
    printf("%d %s\n", plain_sum, cudaGetErrorName(cudaGetLastError()));
}
