// A kernel and a variable belong to the context that is current: each has its own.
#include <cstdio>
#include <cuda.h>

__device__ int count = 10;

__global__ void add(int number) { count += number; }

static int read_count()
{
    int value = -1;
    cudaMemcpyFromSymbol(&value, count, sizeof value);
    return value;
}

int main()
{
    CUcontext context[2];
    cuInit(0);
    for (int i = 0; i < 2; i++) cuCtxCreate(&context[i], NULL, 0, 0);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 2; i++) {
            cuCtxSetCurrent(context[i]);
            add<<<1, 1>>>(i + 1);
            printf("context %d: %s, %d\n", i, cudaGetErrorName(cudaGetLastError()), read_count());
        }
    for (int i = 0; i < 2; i++) cuCtxPopCurrent(NULL);
    add<<<1, 1>>>(100);
    printf("primary: %s, %d\n", cudaGetErrorName(cudaGetLastError()), read_count());
    cuCtxDestroy(context[0]);
    cuCtxCreate(&context[0], NULL, 0, 0);
    printf("again: %d\n", read_count());
}
