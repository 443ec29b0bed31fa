// How generated kernels run on a GPU: adjacent threads take adjacent elements, a whole grid at a time. backend.h
// documents the names defined here.

// For lab_narrow.h.
#define LAB_BOTH __device__
#define LAB_BUILTIN static __forceinline__
#define LAB_BITS_OF_FLOAT(x) __float_as_uint(x)
#define LAB_FLOAT_OF_BITS(bits) __uint_as_float(bits)

// Each thread has LAB_BATCH elements of a tile, spaced by the number of threads in a block, and loads the inputs of all
// of them before it works on the first. The compiler cannot do this, since it does not know that no output overlaps
// another element's input; with fewer loads in flight a quarter of the memory's bandwidth would be unused.
#define LAB_BATCH 4

#define LAB_ONE_COPY
#define LAB_INPUT(array, loaded, i) loaded

template <class T> struct lab_batch {
    T of[LAB_BATCH];
};

template <class T, class Load> __device__ lab_batch<T> lab_load_batch(long long first, long long n, Load load)
{
    lab_batch<T> loaded;
#pragma unroll
    for (int k = 0; k < LAB_BATCH; ++k)
        if (const long long i = first + k * (long long)blockDim.x; i < n) loaded.of[k] = load(i);
    return loaded;
}

#define LAB_EACH(i, n)                                                                                                 \
    for (long long lab_first = blockIdx.x * (long long)(LAB_BATCH * blockDim.x) + threadIdx.x; lab_first < (n);        \
         lab_first += gridDim.x * (long long)(LAB_BATCH * blockDim.x))                                                 \
        if (const lab_batch<lab_inputs> lab_loaded = lab_load_batch<lab_inputs>(lab_first, n, lab_load); true)         \
            _Pragma("unroll") for (int lab_k = 0; lab_k < LAB_BATCH; ++lab_k)                                          \
                if (const long long i = lab_first + lab_k * (long long)blockDim.x; i < (n))                            \
                    if (const lab_inputs &lab_in = lab_loaded.of[lab_k]; true)

#define LAB_EACH_ROW(row, n, width)                                                                                    \
    const long long lab_width = width;                                                                                 \
    for (long long lab_at = blockIdx.x * (long long)blockDim.x + threadIdx.x; lab_at < (n);                            \
         lab_at += (long long)gridDim.x * blockDim.x)                                                                  \
        if (const long long row = lab_at / lab_width; true)

#define LAB_EACH_IN_ROW(i, column, row)                                                                                \
    if (const long long i = lab_at; true)                                                                              \
        if (const long long column = lab_at - row * lab_width; true)                                                   \
            if (const lab_inputs lab_in = lab_load(i); true)

// A lane loads so many elements before it combines the first: on an H200 a product of two arrays then has 9% more of the
// memory's bandwidth, the place of the largest element 15%.
#define LAB_LOADS 8

// The first half of the lanes combines in shared memory; all threads of the block reach the barriers.
template <class T, class Map, class Reduce>
__device__ T lab_reduce_range(long long first, long long end, Map map, Reduce reduce)
{
    __shared__ T lane[LAB_LANES];
    const int t = threadIdx.x;
    const long long width = end - first < LAB_LANES ? end - first : LAB_LANES;
    if (t < width) {
        T value = map(first + t), next[LAB_LOADS];
        long long i = first + t + LAB_LANES;
        for (; i + (LAB_LOADS - 1) * LAB_LANES < end; i += LAB_LOADS * LAB_LANES) {
#pragma unroll
            for (int k = 0; k < LAB_LOADS; ++k) next[k] = map(i + k * LAB_LANES);
#pragma unroll
            for (int k = 0; k < LAB_LOADS; ++k) value = reduce(value, next[k]);
        }
        for (; i < end; i += LAB_LANES) value = reduce(value, map(i));
        lane[t] = value;
    }
    __syncthreads();
    for (int step = LAB_LANES / 2; step > 0; step /= 2) {
        if (t < step && t + step < width) lane[t] = reduce(lane[t], lane[t + step]);
        __syncthreads();
    }
    const T result = lane[0];
    __syncthreads(); // before the lanes are reused
    return result;
}

template <class T, class Map, class Reduce>
__device__ T lab_reduce_partial(long long count, Map map, Reduce reduce)
{
    return lab_reduce_range<T>(0, count, map, reduce);
}

// Adjacent threads take adjacent columns. A thread has every LAB_TEAMS-th lane of its column and combines their part of
// the tree alone down to that step; the last steps combine the teams.
#define LAB_TEAMS (LAB_LANES / LAB_COLUMNS)

template <class T, class Map, class Reduce, class Store>
__device__ void lab_reduce_columns(long long columns, long long first, long long end, Map map, Reduce reduce, Store store)
{
    __shared__ T part[LAB_TEAMS][LAB_COLUMNS];
    T lane[LAB_COLUMNS];
    const int c = threadIdx.x % LAB_COLUMNS, team = threadIdx.x / LAB_COLUMNS;
    const int width = end - first < LAB_LANES ? (int)(end - first) : LAB_LANES;
    const int lanes = c < columns && team < width ? (width - team + LAB_TEAMS - 1) / LAB_TEAMS : 0;
    for (int k = 0; k < lanes; ++k) {
        long long i = first + team + k * LAB_TEAMS;
        T value = map(c, i);
        for (i += LAB_LANES; i < end; i += LAB_LANES) value = reduce(value, map(c, i));
        lane[k] = value;
    }
    for (int step = LAB_COLUMNS / 2; step > 0; step /= 2)
        for (int k = 0; k < step && k + step < lanes; ++k) lane[k] = reduce(lane[k], lane[k + step]);
    if (lanes > 0) part[team][c] = lane[0];
    __syncthreads();
    for (int step = LAB_TEAMS / 2; step > 0; step /= 2) {
        if (lanes > 0 && team < step && team + step < width) part[team][c] = reduce(part[team][c], part[team + step][c]);
        __syncthreads();
    }
    if (lanes > 0 && team == 0) store(c, part[0][c]);
    __syncthreads(); // before the parts are reused
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
