// Sums of blocks, in two ways: by a tree in shared memory, and by shuffles in each warp whose sums the first warp adds.
// The host adds the sums of the blocks.
__device__ long long sum_of_thread(const int *x, int n)
{
    long long sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
    return sum;
}

extern "C" __global__ void tree_sum(const int *x, long long *sum_of_block, int n)
{
    extern __shared__ long long part[];
    part[threadIdx.x] = sum_of_thread(x, n);
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sum_of_block[blockIdx.x] = part[0];
}

__device__ long long sum_of_warp(long long value)
{
    for (int step = warpSize / 2; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
    return value;
}

extern "C" __global__ void shuffle_sum(const int *x, long long *sum_of_block, int n)
{
    __shared__ long long part[32];
    int warp = threadIdx.x / warpSize, lane = threadIdx.x % warpSize, warps = blockDim.x / warpSize;
    long long sum = sum_of_warp(sum_of_thread(x, n));
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp > 0) return;
    sum = sum_of_warp(lane < warps ? part[lane] : 0);
    if (lane == 0) sum_of_block[blockIdx.x] = sum;
}
