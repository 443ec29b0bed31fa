// Global memory, between the threads of a block and between blocks.
#include <cooperative_groups.h>

//: elements_right 8 64 0
extern "C" __global__ void elements_right(int *out, const int *in, int *zero, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 3 * in[i] + zero[i];
}

//: shift_in_place 8 64 0
//: racecheck allocated at launch.h
//: racecheck a race (
extern "C" __global__ void shift_in_place(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    zero[i] = zero[i + 1] + in[i];
}

//: block_of_global_memory_right 4 64 0
extern "C" __global__ void block_of_global_memory_right(int *out, const int *in, int *zero, int n)
{
    const int t = threadIdx.x, base = blockIdx.x * 64;
    zero[base + t] = in[base + t];
    __syncthreads();
    out[base + t] = zero[base + 63 - t];
}

//: barrier_for_other_blocks 4 64 0
//: racecheck of block [
//: racecheck only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void barrier_for_other_blocks(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    zero[i] = in[i];
    __syncthreads();
    out[i] = zero[255 - i];
}

//: grid_barrier_for_other_blocks_right 4 64 0
extern "C" __global__ void grid_barrier_for_other_blocks_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    for (int round = 0; round < 2; round++) {
        zero[i] = in[i];
        cooperative_groups::this_grid().sync();
        out[i] = zero[255 - i];
        cooperative_groups::this_grid().sync();
    }
}

//: grid_barrier_missing_in_a_round 4 64 0
//: racecheck of block [
//: racecheck only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void grid_barrier_missing_in_a_round(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    for (int round = 0; round < 2; round++) {
        zero[i] = in[i] + round;
        cooperative_groups::this_grid().sync();
        out[i] = zero[255 - i];
    }
}

//: counter_right 4 64 0
extern "C" __global__ void counter_right(int *out, const int *in, int *zero, int n)
{
    const int place = atomicAdd(zero, 1);
    out[place] = in[blockIdx.x * 64 + threadIdx.x];
    atomicMax(zero + 1, place);
    atomicAdd((float *)(zero + 2), 0.5f);
}

//: counter_without_atomics 4 64 0
//: racecheck only atomic operations, or a flag
extern "C" __global__ void counter_without_atomics(int *out, const int *in, int *zero, int n)
{
    zero[0]++; // (a)
}

//: counter_read_too_early 1 64 0
//: racecheck no __syncthreads() comes between (a) and (b)
extern "C" __global__ void counter_read_too_early(int *out, const int *in, int *zero, int n)
{
    atomicAdd(zero, in[threadIdx.x]);          // (a)
    if (threadIdx.x == 63) out[0] = zero[0]; // (b)
}

//: counter_read_after_barrier_right 1 64 0
extern "C" __global__ void counter_read_after_barrier_right(int *out, const int *in, int *zero, int n)
{
    atomicAdd(zero, in[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) out[0] = zero[0];
}

//: last_block_right 4 64 0
extern "C" __global__ void last_block_right(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    __shared__ int part[64];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += part[i];
        out[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicAdd(zero, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 1) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += out[b];
        zero[1] = sum;
    }
}

//: last_block_without_fence 4 64 0
//: reported NVIDIA/Fuser pull 2391: no fence stands before the number that releases the next block; right: last_block_right
//: racecheck a race (read after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void last_block_without_fence(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    __shared__ int part[64];
    const int t = threadIdx.x;
    part[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += part[i];
        out[blockIdx.x] = sum;
        is_last = atomicAdd(zero, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 1) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += out[b];
        zero[1] = sum;
    }
}

//: last_block_of_all_threads_right 4 64 0
extern "C" __global__ void last_block_of_all_threads_right(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    out[blockIdx.x * 64 + t] = 2 * in[blockIdx.x * 64 + t];
    __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicInc((unsigned *)zero, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (is_last)
        for (int i = t; i < 256; i += 64) zero[1 + i] = out[255 - i];
}

//: chain_right 4 32 0
extern "C" __global__ void chain_right(int *out, const int *in, int *zero, int n)
{
    volatile int *flag = zero;
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {
            }
            __threadfence();
            before = out[b - 1];
        }
        out[b] = before + in[b];
        __threadfence();
        flag[b] = 1;
    }
}

//: chain_without_fence 4 32 0
//: racecheck a race (read after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void chain_without_fence(int *out, const int *in, int *zero, int n)
{
    volatile int *flag = zero;
    const int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int before = 0;
        if (b > 0) {
            while (flag[b - 1] == 0) {
            }
            before = out[b - 1];
        }
        out[b] = before + in[b];
        flag[b] = 1;
    }
}

//: chain_to_the_first_right 4 32 0
extern "C" __global__ void chain_to_the_first_right(int *out, const int *in, int *zero, int n)
{
    const int b = blockIdx.x;
    if (threadIdx.x != 0) return;
    out[b] = in[b];
    while (b > 0 && atomicAdd(&zero[b - 1], 0) == 0) {
    }
    int sum = 0;
    for (int i = 0; i <= b; i++) sum += out[i];
    zero[64 + b] = sum;
    __threadfence();
    atomicExch(&zero[b], 1);
}

//: lock_right 4 32 0
extern "C" __global__ void lock_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(&zero[0], 0, 1) != 0) {
    }
    __threadfence();
    zero[1] += in[blockIdx.x];
    __threadfence();
    atomicExch(&zero[0], 0);
}

//: lock_without_fences 4 32 0
//: racecheck a race (
extern "C" __global__ void lock_without_fences(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(&zero[0], 0, 1) != 0) {
    }
    zero[1] += in[blockIdx.x];
    atomicExch(&zero[0], 0);
}

//: same_answer_right 4 64 0
extern "C" __global__ void same_answer_right(int *out, const int *in, int *zero, int n)
{
    if (in[blockIdx.x * 64 + threadIdx.x] % 5 == 0) zero[0] = 1;
}

//: last_answer 4 64 0
//: racecheck a race (write after write)
extern "C" __global__ void last_answer(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] % 5 == 0) zero[0] = i;
}

//: overlapping_parts 4 64 0
//: racecheck a race (write after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void overlapping_parts(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i];
    if (threadIdx.x == 63) out[i + 1] = -1;
}

//: bytes_of_words_right 4 64 0
extern "C" __global__ void bytes_of_words_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    ((char *)zero)[i] = (char)in[i];
    ((short *)(zero + 1024))[i] = (short)in[i];
}

//: float4_right 4 64 0
extern "C" __global__ void float4_right(int *out, const int *in, int *zero, int n)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    int4 x = ((const int4 *)in)[i];
    x.y += x.x;
    ((int4 *)out)[i] = x;
}

static __device__ unsigned finished;

//: last_block_that_resets_right 4 64 0
extern "C" __global__ void last_block_that_resets_right(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += in[blockIdx.x * 64 + i];
        out[blockIdx.x] = sum;
        __threadfence();
        is_last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    if (t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += out[b];
        zero[1] = sum;
        finished = 0;
    }
}

//: last_block_that_resets_its_argument_right 4 64 0
extern "C" __global__ void last_block_that_resets_its_argument_right(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    out[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t];
    __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicAdd(zero, 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    zero[1 + t] = out[t] + out[64 + t] + out[128 + t] + out[192 + t];
    if (t == 7) *zero = 0;
}

//: last_block_that_resets_without_fence 4 64 0
//: racecheck a race (read after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void last_block_that_resets_without_fence(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += in[blockIdx.x * 64 + i];
        out[blockIdx.x] = sum;
        is_last = atomicInc(&finished, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    if (t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += out[b];
        zero[1] = sum;
        finished = 0;
    }
}

//: last_block_with_the_fence_of_a_block 4 64 0
//: racecheck a race (read after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void last_block_with_the_fence_of_a_block(int *out, const int *in, int *zero, int n)
{
    __shared__ bool is_last;
    const int t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += in[blockIdx.x * 64 + i];
        out[blockIdx.x] = sum;
        __threadfence_block();
        is_last = atomicAdd(zero, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 1) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += out[b];
        zero[1] = sum;
    }
}

//: last_warp_of_a_block_right 4 64 0
extern "C" __global__ void last_warp_of_a_block_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[2], arrived;
    const int t = threadIdx.x, warp = t / 32;
    if (t == 0) arrived = 0;
    __syncthreads();
    if (t % 32) return;
    part[warp] = in[blockIdx.x * 64 + t];
    __threadfence_block();
    if (atomicAdd(&arrived, 1) == 1) out[blockIdx.x] = part[0] + part[1];
}

//: counters_of_a_block_right 4 64 0
extern "C" __global__ void counters_of_a_block_right(int *out, const int *in, int *zero, int n)
{
    atomicAdd_block(&zero[blockIdx.x], in[threadIdx.x]);
}

//: counter_of_a_block_for_all 4 64 0
//: reported ComputationalRadiationPhysics/picongpu pull 2231: blocks count together with the atomic functions of one block; right: counters_of_a_block_right
//: racecheck a race (write after write)
extern "C" __global__ void counter_of_a_block_for_all(int *out, const int *in, int *zero, int n)
{
    atomicAdd_block(zero, in[threadIdx.x]);
}

//: reset_too_early 4 64 0
//: racecheck a race (
extern "C" __global__ void reset_too_early(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x) return;
    if (blockIdx.x == 2) *zero = 0;
    __threadfence();
    atomicAdd(zero, 1);
}

//: written_behind_its_publication 2 32 0
//: racecheck a race (read after write): only atomic operations, or a flag behind a __threadfence(), order blocks
extern "C" __global__ void written_behind_its_publication(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        __threadfence();
        atomicAdd(zero, 1);
        while (atomicAdd(zero + 1, 0) == 0) {}
        *zero = 7;
        atomicAdd(zero + 2, 1);
    } else {
        while (atomicAdd(zero, 0) == 0) {}
        __threadfence();
        atomicAdd(zero + 1, 1);
        while (atomicAdd(zero + 2, 0) == 0) {}
        out[0] = *zero;
    }
}
