// How generated kernels run on a GPU: neighbouring threads take neighbouring elements, a whole grid at a time; backend.h
// says what the names here promise.

#define LAB_EACH(i, n)                                                                                                 \
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < (n);                                      \
         i += (long long)gridDim.x * blockDim.x)

#define LAB_EACH_ROW(row, n, width)                                                                                    \
    const long long lab_width = width;                                                                                 \
    LAB_EACH(lab_at, n)                                                                                                \
    if (const long long row = lab_at / lab_width; true)

#define LAB_EACH_IN_ROW(i, column, row)                                                                                \
    if (const long long i = lab_at; true)                                                                              \
        if (const long long column = lab_at - row * lab_width; true)

// The first half of the lanes combines in shared memory, whose barriers all threads of the block reach.
template <class T, class Map, class Reduce>
__device__ T lab_reduce_range(long long first, long long end, Map map, Reduce reduce)
{
    __shared__ T lane[LAB_LANES];
    const int t = threadIdx.x;
    const long long width = end - first < LAB_LANES ? end - first : LAB_LANES;
    if (t < width) {
        T value = map(first + t);
        for (long long i = first + t + LAB_LANES; i < end; i += LAB_LANES) value = reduce(value, map(i));
        lane[t] = value;
    }
    __syncthreads();
    for (int step = LAB_LANES / 2; step > 0; step /= 2) {
        if (t < step && t + step < width) lane[t] = reduce(lane[t], lane[t + step]);
        __syncthreads();
    }
    const T result = lane[0];
    __syncthreads(); // the lanes may be used again
    return result;
}

__device__ inline bool lab_last_block(unsigned *counter)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(counter, 1) == gridDim.x - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}
