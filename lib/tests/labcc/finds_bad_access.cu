// run LAB_MEMCHECK=1: finds_bad_access.cu:8: writes 4 bytes
// run LAB_MEMCHECK=1: the launch is at finds_bad_access.cu:18
#include <cstdio>

__global__ void fill(int *x, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] = n; // no test of i
}

int main()
{
    int *x;
    cudaMalloc(&x, 100 * sizeof *x);



    fill<<<1, 128>>>(x, 100);
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error == cudaSuccess ? "nothing was found" : cudaGetErrorString(error));
    return error != cudaSuccess;
}
