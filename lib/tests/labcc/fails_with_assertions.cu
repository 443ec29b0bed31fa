// run A=1: fails_with_assertions.cu:8: Assertion `threadIdx.x < n` failed
#include <cassert>
#include <cstdio>

__global__ void check(int n)
{
    // A failure ends the kernel, and no later call works.
    assert(threadIdx.x < n);
}

int main()
{
    check<<<2, 32>>>(31);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 1;
}
