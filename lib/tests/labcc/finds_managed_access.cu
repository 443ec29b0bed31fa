// options: --host-accesses
// run LAB_ORDER=report: reads the variable table that kernel add (finds_managed_access.cu:22) writes
// run LAB_ORDER=report: LAB_ORDER: 1 finding
// run LAB_MEMCHECK=1: just past the end of the variable 'table' of 16 bytes
// run LAB_KERNELS_APART=1 LAB_CUDA_ERRORS=all: which kernels in another process cannot reach
// The host reads a managed variable before the kernel that writes it is done; a kernel writes past its end.
#include <cstdio>

__managed__ int table[4];

__global__ void add(int n)
{
    const int i = threadIdx.x;
    if (i < n) table[i] += 1;
}

int main()
{


    table[0] = 1; // before any work: in order
    add<<<1, 4>>>(4);
    printf("%d\n", table[0]);
    cudaDeviceSynchronize();
    printf("%d\n", table[0]);
    add<<<1, 5>>>(5);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
}
