#include "parts.h"

static __device__ int value = 10;
static __global__ void add(int *x) { *x += value; }

void second(int *x)
{
    const int added = 100;
    add<<<1, 1>>>(x);
    cudaMemcpyToSymbol(value, &added, sizeof added);
    add<<<1, 1>>>(x);
}
