// A launch does not look at its pointers, so it takes one to memory that its stream has freed: the checks name a kernel
// that uses the memory, and not one that leaves it alone.
// run LAB_DEVICE=cpu: launches: no error, end: no error
// run LAB_MEMCHECK=1: finds_freed_memory.cu:12: writes 4 bytes
// run LAB_MEMCHECK=1: the 128 bytes allocated at finds_freed_memory.cu:18, which were freed at finds_freed_memory.cu:20
// run LAB_ORDER=report: fill (finds_freed_memory.cu:22) writes device memory
// run LAB_ORDER=report: that pool free (finds_freed_memory.cu:20) has freed
// run LAB_ORDER=report: use some of the 128 bytes made at finds_freed_memory.cu:18
// run LAB_ORDER=report: LAB_ORDER: 1 finding in
#include <cstdio>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void leave(int *x, int *y) { y[threadIdx.x] = 1; }

int main()
{
    int *x, *y;
    cudaMallocAsync(&x, 32 * sizeof *x, 0);
    cudaMallocAsync(&y, 32 * sizeof *y, 0);
    cudaFreeAsync(x, 0);
    leave<<<1, 32>>>(x, y);
    fill<<<1, 32>>>(x);
    printf("launches: %s, ", cudaGetErrorString(cudaGetLastError()));
    printf("end: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
