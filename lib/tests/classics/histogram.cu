// How often each byte value occurs: a block counts in shared memory and adds its counts to the whole at the end.
extern "C" __global__ void histogram(const unsigned char *bytes, unsigned *count, int n)
{
    __shared__ unsigned own[256];
    for (int value = threadIdx.x; value < 256; value += blockDim.x) own[value] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&own[bytes[i]], 1u);
    __syncthreads();
    for (int value = threadIdx.x; value < 256; value += blockDim.x)
        if (own[value]) atomicAdd(&count[value], own[value]);
}
