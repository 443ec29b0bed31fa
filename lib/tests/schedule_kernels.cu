/* The kernels of schedule_programs.h. Kernels whose threads must wait for each other come with the wait and without it. */

extern "C" __global__ void step(const int *in, int *out, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * 3 + k;
}

/* The same with the address of the input as a number. */
extern "C" __global__ void step_at(unsigned long in, int *out, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = ((const int *)in)[i] * 3 + k;
}

/* Each thread takes its neighbour's number. */
#define SHIFT(wait)                                                                                                    \
    {                                                                                                                  \
        __shared__ int row[64];                                                                                        \
        row[threadIdx.x] = in[threadIdx.x];                                                                            \
        wait;                                                                                                          \
        out[threadIdx.x] = threadIdx.x > 0 ? row[threadIdx.x - 1] : 0;                                                 \
    }
extern "C" __global__ void shift(const int *in, int *out) SHIFT((void)0)
extern "C" __global__ void shift_in_step(const int *in, int *out) SHIFT(__syncthreads())

#define SHIFT_TWICE(wait)                                                                                              \
    {                                                                                                                  \
        __shared__ int row[64], next[64];                                                                              \
        int i = threadIdx.x;                                                                                           \
        row[i] = in[i];                                                                                                \
        __syncthreads();                                                                                               \
        next[i] = i > 0 ? row[i - 1] : 0;                                                                              \
        wait;                                                                                                          \
        out[i] = i > 0 ? next[i - 1] : 0;                                                                              \
    }
extern "C" __global__ void shift_twice(const int *in, int *out) SHIFT_TWICE((void)0)
extern "C" __global__ void shift_twice_in_step(const int *in, int *out) SHIFT_TWICE(__syncthreads())

/* The first thread tells all others a number. */
#define SAY(wait)                                                                                                      \
    {                                                                                                                  \
        __shared__ int said;                                                                                           \
        if (threadIdx.x == 0) said = in[0];                                                                            \
        wait;                                                                                                          \
        out[threadIdx.x] = said + threadIdx.x;                                                                         \
    }
extern "C" __global__ void say(const int *in, int *out) SAY((void)0)
extern "C" __global__ void say_in_step(const int *in, int *out) SAY(__syncthreads())

/* The first thread collects a number from every thread. */
#define COLLECT(wait)                                                                                                  \
    {                                                                                                                  \
        __shared__ int row[8];                                                                                         \
        row[threadIdx.x] = in[threadIdx.x];                                                                            \
        wait;                                                                                                          \
        if (threadIdx.x == 0)                                                                                          \
            for (int i = 0; i < 8; i++) out[i] = row[i];                                                               \
    }
extern "C" __global__ void collect(const int *in, int *out) COLLECT((void)0)
extern "C" __global__ void collect_in_step(const int *in, int *out) COLLECT(__syncthreads())

/* Adds the sum of 128 numbers to each of them: each warp adds its own, and the first warp adds the sums of the warps. */
#define ADD_SUM(wait_for_parts, wait_for_sum)                                                                          \
    {                                                                                                                  \
        __shared__ int part[4], sum;                                                                                   \
        const int i = threadIdx.x, lane = i % 32;                                                                      \
        int v = in[i];                                                                                                 \
        for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);                                           \
        if (lane == 0) part[i / 32] = v;                                                                               \
        wait_for_parts;                                                                                                \
        if (i < 32) {                                                                                                  \
            v = lane < 4 ? part[lane] : 0;                                                                             \
            for (int o = 2; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);                                        \
            if (lane == 0) sum = v;                                                                                    \
        }                                                                                                              \
        wait_for_sum;                                                                                                  \
        out[i] = in[i] + sum;                                                                                          \
    }
extern "C" __global__ void add_sum(const int *in, int *out) ADD_SUM(__syncthreads(), __syncthreads())
extern "C" __global__ void add_sum_of_parts_too_early(const int *in, int *out) ADD_SUM((void)0, __syncthreads())
extern "C" __global__ void add_sum_too_early(const int *in, int *out) ADD_SUM(__syncthreads(), (void)0)

/* The first lane tells its warp a number. */
#define TELL_WARP(wait)                                                                                                \
    {                                                                                                                  \
        __shared__ int said;                                                                                           \
        if (threadIdx.x == 0) said = in[0];                                                                            \
        wait;                                                                                                          \
        const int heard = said + threadIdx.x;                                                                          \
        out[threadIdx.x] = __shfl_sync(0xffffffff, heard, threadIdx.x);                                                \
    }
extern "C" __global__ void tell_warp(const int *in, int *out) TELL_WARP((void)0)
extern "C" __global__ void tell_warp_in_step(const int *in, int *out) TELL_WARP(__syncwarp())

/* The first block writes what all blocks read: in one launch or in two. */
extern "C" __global__ void tell_blocks(const int *in, int *said, int *out, int write, int read)
{
    if (write && blockIdx.x == 0) *said = in[0];
    if (read) out[blockIdx.x] = *(volatile int *)said + blockIdx.x;
}
