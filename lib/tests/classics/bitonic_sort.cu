// Sorts 2^k keys in place. Steps between partners in the same block run in shared memory, many in one launch; every other
// step is a launch of its own.
__device__ void order(unsigned *low, unsigned *high, bool ascending)
{
    if ((*low > *high) != ascending) return;
    unsigned kept = *low;
    *low = *high;
    *high = kept;
}

extern "C" __global__ void sort_step(unsigned *key, unsigned run, unsigned distance)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, partner = i ^ distance;
    if (partner > i) order(&key[i], &key[partner], (i & run) == 0);
}

// All steps of runs from `run` to `last_run` whose distance is less than a block.
extern "C" __global__ void sort_in_block(unsigned *key, unsigned run, unsigned last_run)
{
    extern __shared__ unsigned own[];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = key[i];
    for (; run <= last_run; run *= 2)
        for (unsigned distance = min(run, blockDim.x) / 2; distance > 0; distance /= 2) {
            __syncthreads();
            unsigned partner = threadIdx.x ^ distance;
            if (partner > threadIdx.x) order(&own[threadIdx.x], &own[partner], (i & run) == 0);
        }
    __syncthreads();
    key[i] = own[threadIdx.x];
}
