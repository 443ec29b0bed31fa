// Inclusive sums of x: first each block scans its own part by doubling steps between two halves of shared memory and
// notes its total, then every element gets the totals of the blocks before.
extern "C" __global__ void scan_blocks(const int *x, int *sums, int *totals, int n)
{
    extern __shared__ int half[];
    int size = blockDim.x, i = blockIdx.x * size + threadIdx.x, from = 0, to = size;
    half[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int step = 1; step < size; step *= 2) {
        int before = threadIdx.x >= step ? half[from + threadIdx.x - step] : 0;
        half[to + threadIdx.x] = half[from + threadIdx.x] + before;
        __syncthreads();
        int other = from;
        from = to;
        to = other;
    }
    if (i < n) sums[i] = half[from + threadIdx.x];
    if (threadIdx.x == size - 1) totals[blockIdx.x] = half[from + threadIdx.x];
}

extern "C" __global__ void add_totals(int *sums, const int *scanned_totals, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0) sums[i] += scanned_totals[blockIdx.x - 1];
}
