// options: -rdc=true -arch=sm_80 -lineinfo -O2 %D/parts/second.cu %D/parts/host.cpp %D/parts/plain.c -I%D/parts -lcudart -lcuda
// Static kernels and variables of the same names are each file's own.
#include "parts.h"
#include <cstdio>

static __device__ int value = 1;
static __global__ void add(int *x) { *x += value; }

int main()
{
    int *x, host = 0;
    cudaMalloc(&x, sizeof *x);
    cudaMemset(x, 0, sizeof *x);
    add<<<1, 1>>>(x);
    second(x);
    cudaMemcpy(&host, x, sizeof *x, cudaMemcpyDeviceToHost);
    printf("%d, %d devices or more, %d\n", host, at_least_one_device(), plain(host));
}
