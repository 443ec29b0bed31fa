// run LAB_SYNCCHECK=1: finds_divergent_barriers.cu:5
__global__ void half_waits(int *x)
{
    if (threadIdx.x < 16)
        __syncthreads();
    else
        x[threadIdx.x] = 1;
    x[0] = 2;
}
int main()
{
    int *x;
    cudaMalloc(&x, 64 * sizeof *x);
    half_waits<<<1, 32>>>(x);
    return cudaDeviceSynchronize() != cudaSuccess;
}
