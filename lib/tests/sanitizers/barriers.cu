// Barriers and warp functions that some threads pass by. A thread that has returned need not come to a barrier.
#include <cooperative_groups.h>

//: barrier_in_the_branch 1 64 0
//: reported tile-ai/tilelang issue 1026: a barrier stands in the branch of some threads; right: barrier_behind_the_branch_right
//: synccheck thread [32,0,0]: lib/tests/sanitizers/barriers.cu:17: passes by this __syncthreads() without having returned, while thread [0,0,0] waits
extern "C" __global__ void barrier_in_the_branch(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    value[t] = in[t];
    __syncthreads();
    int mine = 0;
    for (int half = 32; half > 0; half /= 2)
        if (t < half) {
            mine = value[t] + value[t + half];
            __syncthreads();
            if (half == 32) out[t] = mine;
        }
    if (t == 0) out[64] = mine;
}

//: barrier_behind_the_branch_right 1 64 0
extern "C" __global__ void barrier_behind_the_branch_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    value[t] = in[t];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) value[t] += value[t + half];
    }
    if (t == 0) out[0] = value[0];
}

//: rounds_of_some_threads 1 64 0
//: synccheck passes by this __syncthreads() without having returned
extern "C" __global__ void rounds_of_some_threads(int *out, const int *in, int *zero, int n)
{
    __shared__ int old[64];
    const int t = threadIdx.x, count = 40;
    int value = t < count ? in[t] : 0;
    old[t] = 0;
    __syncthreads();
    for (int round = 0; t < count && round < 3; round++) {
        old[t] = value;
        __syncthreads();
        value += old[t ? t - 1 : 0];
        __syncthreads();
    }
    if (t < count) out[t] = value;
}

//: rounds_of_all_threads_right 1 64 0
extern "C" __global__ void rounds_of_all_threads_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int old[64];
    const int t = threadIdx.x, count = 40;
    int value = t < count ? in[t] : 0;
    for (int round = 0; zero[0] == 0 && round < 3; round++) {
        old[t] = value;
        __syncthreads();
        if (t < count || round == 7) value += old[t ? t - 1 : 0];
        __syncthreads();
    }
    if (t < count) out[t] = value;
}

//: rounds_until_returned_right 1 64 0
extern "C" __global__ void rounds_until_returned_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    value[t] = in[t];
    for (int half = 32; half > 0; half /= 2) {
        __syncthreads();
        if (t >= half) {
            out[t] = half;
            return;
        }
        value[t] += value[t + half];
    }
    out[0] = value[0];
}

//: only_returns_end_the_rounds_right 1 96 0
extern "C" __global__ void only_returns_end_the_rounds_right(int *out, const int *in, int *zero, int n)
{
    for (unsigned round = 0;; round++) {
        if (threadIdx.x / 32 == round) {
            out[threadIdx.x] = in[round];
            return;
        }
        const int left = __syncthreads_count(1);
        zero[threadIdx.x] = left;
    }
}

//: returns_behind_the_barrier_right 1 96 0
extern "C" __global__ void returns_behind_the_barrier_right(int *out, const int *in, int *zero, int n)
{
    for (unsigned round = 0;; round++) {
        __syncthreads();
        if (threadIdx.x / 32 == round) {
            if (threadIdx.x % 2) out[threadIdx.x] = in[round];
            return;
        }
    }
}

//: a_break_ends_the_rounds 1 96 0
//: synccheck passes by this __syncthreads_count() without having returned
extern "C" __global__ void a_break_ends_the_rounds(int *out, const int *in, int *zero, int n)
{
    unsigned round = 0;
    for (;; round++) {
        if (threadIdx.x / 32 == round) break;
        const int left = __syncthreads_count(1);
        zero[threadIdx.x] = left;
    }
    out[threadIdx.x] = in[round];
}

//: same_condition_in_the_block_right 4 64 0
extern "C" __global__ void same_condition_in_the_block_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x, i = blockIdx.x * 64 + t;
    if (i >= 100 && blockIdx.x != 1) return;
    for (int round = 0; round < 4; round++) {
        value[t] = in[i] + round;
        if (round % 2 == blockIdx.x % 2) {
            __syncthreads();
            if (t < 30) out[i] = value[29 - t];
            __syncthreads();
        } else if (t < 7) {
            out[i] = round;
        }
        for (int k = 0; k < t % 3 && zero[0]; k++) __syncthreads();
    }
    if (t == 0) out[1000 + blockIdx.x] = 1;
}

//: one_round_later 1 64 0
//: synccheck comes to this __syncthreads() in another round than thread [
extern "C" __global__ void one_round_later(int *out, const int *in, int *zero, int n)
{
    const int t = threadIdx.x;
    for (int round = 0; round < 2; round++)
        if (round == t / 32) __syncthreads();
    out[t] = in[t];
}

static __device__ void wait_for_all(int *out, bool wanted)
{
    if (wanted) __syncthreads();
    out[threadIdx.x] = 2;
}

//: function_with_a_barrier 1 64 0
//: reported 1bit-MONSTER/1bit-MONSTER issue 620: a function with a barrier is called by one warp; right: function_with_a_barrier_right
//: synccheck passes by this __syncthreads() without having returned
extern "C" __global__ void function_with_a_barrier(int *out, const int *in, int *zero, int n)
{
    wait_for_all(out, threadIdx.x > 3);
}

//: function_with_a_barrier_right 1 64 0
extern "C" __global__ void function_with_a_barrier_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    value[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x > 3) wait_for_all(out, false);
    wait_for_all(out, true);
    out[threadIdx.x] = value[63 - threadIdx.x];
}

//: votes_of_some_threads 1 64 0
//: synccheck passes by this __syncthreads_or() without having returned
extern "C" __global__ void votes_of_some_threads(int *out, const int *in, int *zero, int n)
{
    bool found = false;
    if (threadIdx.x >= 32) found = __syncthreads_or(in[threadIdx.x] == 5);
    out[threadIdx.x] = found;
}

//: group_of_some_threads 1 64 0
//: synccheck passes by this __syncthreads() without having returned
extern "C" __global__ void group_of_some_threads(int *out, const int *in, int *zero, int n)
{
    cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
    if (block.thread_rank() < 48) block.sync();
    out[threadIdx.x] = in[threadIdx.x];
}

//: tiles_right 1 64 0
extern "C" __global__ void tiles_right(int *out, const int *in, int *zero, int n)
{
    namespace cg = cooperative_groups;
    __shared__ int part[8];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int t = threadIdx.x;
    if (tile.meta_group_rank() % 2) {
        int sum = in[t];
        for (int d = 4; d > 0; d /= 2) sum += tile.shfl_xor(sum, d);
        if (tile.thread_rank() == 0) part[t / 8] = sum;
        tile.sync();
    } else {
        part[t / 8] = 0;
    }
    block.sync();
    if (t < 8) out[t] = part[t];
}

//: warp_passed_by 1 32 0
//: synccheck thread [16,0,0]: lib/tests/sanitizers/barriers.cu:222: passes by this __syncwarp() without having returned
extern "C" __global__ void warp_passed_by(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 16) {
        zero[threadIdx.x] = in[threadIdx.x];
        __syncwarp();
    }
    out[threadIdx.x] = in[threadIdx.x];
}

//: half_a_warp_right 1 32 0
extern "C" __global__ void half_a_warp_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 16) {
        zero[threadIdx.x] = in[threadIdx.x];
        __syncwarp(0xffff);
    }
    out[threadIdx.x] = in[threadIdx.x];
}

//: tile_passed_by 1 32 0
//: synccheck thread [3,0,0]: lib/tests/sanitizers/barriers.cu:243: passes by this __syncwarp() without having returned
extern "C" __global__ void tile_passed_by(int *out, const int *in, int *zero, int n)
{
    cooperative_groups::thread_block_tile<4> tile =
        cooperative_groups::tiled_partition<4>(cooperative_groups::this_thread_block());
    if (threadIdx.x % 4 != 3) tile.sync();
    out[threadIdx.x] = in[threadIdx.x];
}

//: ballot_passed_by 1 32 0
//: synccheck passes by this __ballot_sync() without having returned
extern "C" __global__ void ballot_passed_by(int *out, const int *in, int *zero, int n)
{
    unsigned chosen = 0;
    if (threadIdx.x > 3) chosen = __ballot_sync(0xffffffff, in[threadIdx.x] & 1);
    out[threadIdx.x] = (int)chosen;
}

//: lanes_that_returned_right 1 32 0
extern "C" __global__ void lanes_that_returned_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    zero[threadIdx.x] = in[threadIdx.x];
    __syncwarp();
    out[threadIdx.x] = zero[19 - threadIdx.x];
}

//: leaders_right 2 64 0
extern "C" __global__ void leaders_right(int *out, const int *in, int *zero, int n)
{
    const int lane = threadIdx.x % 32, key = in[blockIdx.x * 64 + threadIdx.x] % 3;
    unsigned left = 0xffffffff;
    bool done = false;
    while (!done) {
        const int leader = __ffs((int)left) - 1, first = __shfl_sync(left, key, leader);
        const unsigned same = __ballot_sync(left, key == first);
        if (key == first) {
            if (lane == leader) atomicAdd(&zero[first + 3], __popc(same));
            done = true;
        }
        left &= ~same;
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

//: warps_in_turn_right 1 96 0
extern "C" __global__ void warps_in_turn_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int sum[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int round = 0; round < 2; round++) {
        for (int row = warp; row < 8; row += 3) {
            int mine = in[32 * row + lane];
            for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffff, mine, d);
            if (lane == 0) sum[row] = mine;
        }
        __syncthreads();
        if (threadIdx.x < 8) out[8 * round + threadIdx.x] = sum[threadIdx.x];
        __syncthreads();
    }
}

static __device__ void reverse_first(int *out, const int *in, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    if (t >= n) return;
    value[t] = in[t];
    __syncthreads();
    out[t] = value[n - 1 - t];
}

//: body_that_returns_right 1 64 0
extern "C" __global__ void body_that_returns_right(int *out, const int *in, int *zero, int n)
{
    reverse_first(out, in, 48);
}

static __device__ void reverse_first_if(int *out, const int *in, bool wanted)
{
    if (wanted) reverse_first(out, in, 48);
}

//: body_of_a_body_that_returns_right 1 64 0
extern "C" __global__ void body_of_a_body_that_returns_right(int *out, const int *in, int *zero, int n)
{
    reverse_first_if(out, in, zero[0] == 0);
}

static __device__ void write_first(int *out, const int *in, int n)
{
    const int t = threadIdx.x;
    if (t >= n) return;
    out[t] = in[t];
    __syncthreads();
}

//: function_that_returns_before_the_end 1 64 0
//: synccheck passes by this __syncthreads() without having returned
extern "C" __global__ void function_that_returns_before_the_end(int *out, const int *in, int *zero, int n)
{
    write_first(out, in, 48);
    out[64 + threadIdx.x] = 1;
}

namespace {

struct mark { // notes that it is there, and that it is gone
    int *place;
    __device__ explicit mark(int *p) : place(p) { *place = 1; }
    __device__ ~mark() { *place = 2; }
};

}

//: return_past_an_object_right 1 64 0
extern "C" __global__ void return_past_an_object_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    const mark here(zero + t), there(zero + 64 + t);
    if (t >= 48) return;
    value[t] = in[t];
    __syncthreads();
    out[t] = value[47 - t];
}

//: return_past_an_object_in_a_block_right 1 64 0
extern "C" __global__ void return_past_an_object_in_a_block_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int value[64];
    const int t = threadIdx.x;
    {
        const mark here(zero + t);
        if (t >= 48) return;
        value[t] = in[t];
        __syncthreads();
    }
    out[t] = value[47 - t];
}

//: barrier_beside_an_object 1 64 0
//: synccheck passes by this __syncthreads() without having returned
extern "C" __global__ void barrier_beside_an_object(int *out, const int *in, int *zero, int n)
{
    const int t = threadIdx.x;
    for (int round = 0; round < 2; round++) {
        const mark here(zero + t);
        if (t >= 48) continue;
        out[t] = in[t];
        __syncthreads();
    }
}

//: warps_with_other_rounds_right 1 64 0
extern "C" __global__ void warps_with_other_rounds_right(int *out, const int *in, int *zero, int n)
{
    int sum = 0;
    for (int s = threadIdx.x / 32; s < 3; s += 2) {
        int mine = in[32 * s + threadIdx.x % 32];
        for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffff, mine, d);
        sum += mine;
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

//: warps_that_may_return_right 1 64 0
extern "C" __global__ void warps_that_may_return_right(int *out, const int *in, int *zero, int n)
{
    int sum = 0;
    for (int s = threadIdx.x / 32; s < 3; s += 2) {
        int mine = in[32 * s + threadIdx.x % 32];
        if (__any_sync(0xffffffff, mine < 0)) return;
        for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffff, mine, d);
        sum += mine;
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

//: warps_in_turn_with_objects_right 1 64 0
extern "C" __global__ void warps_in_turn_with_objects_right(int *out, const int *in, int *zero, int n)
{
    int sum = 0;
    const mark here(zero + threadIdx.x);
    for (int s = threadIdx.x / 32; s < 3; s += 2) {
        int mine = in[32 * s + threadIdx.x % 32];
        if (__any_sync(0xffffffff, mine < 0)) return;
        for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffff, mine, d);
        sum += mine;
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}

static __device__ __forceinline__ void write_from_below(int *out, const int *in);

//: inlined_before_the_return_right 1 96 0
extern "C" __global__ void inlined_before_the_return_right(int *out, const int *in, int *zero, int n)
{
    for (unsigned round = 0;; round++) {
        if (threadIdx.x / 32 == round) {
            write_from_below(out, in);
            return;
        }
        const int left = __syncthreads_count(1);
        zero[threadIdx.x] = left;
    }
}

static __device__ __forceinline__ void write_from_below(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }
