// Threads of a warp.

//: shuffle_sum_right 2 64 0
extern "C" __global__ void shuffle_sum_right(int *out, const int *in, int *zero, int n)
{
    int sum = in[blockIdx.x * 64 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x % 32 == 0) atomicAdd(zero, sum);
}

//: last_warp_right 2 64 0
extern "C" __global__ void last_warp_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        for (int s = 32; s > 0; s /= 2) {
            const int sum = x[t] + x[t + s & 63];
            __syncwarp();
            x[t] = sum;
            __syncwarp();
        }
        if (t == 0) out[blockIdx.x] = x[0];
    }
}

//: last_warp_volatile 2 64 0
//: reported Mantevo/miniFE issue 13: the last warp sums over volatile memory without waiting; right: last_warp_right
//: racecheck no __syncwarp() or __syncthreads()
extern "C" __global__ void last_warp_volatile(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[96];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    if (t < 32) x[64 + t] = 0;
    __syncthreads();
    if (t < 32) {
        volatile int *v = x;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
        if (t == 0) out[blockIdx.x] = v[0];
    }
}

//: last_warp_half_synchronised 2 64 0
//: racecheck no __syncwarp() or __syncthreads() orders the threads at (a)
extern "C" __global__ void last_warp_half_synchronised(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32)
        for (int s = 16; s > 0; s /= 2) {
            x[t] += x[t + s]; // (a)
            __syncwarp();
        }
    if (t == 0) out[blockIdx.x] = x[0];
}

//: lane_zero_right 2 64 0
extern "C" __global__ void lane_zero_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t];
    __syncwarp();
    if (t % 32 == 0) {
        int sum = 0;
        for (int i = 0; i < 32; i++) sum += x[t + i];
        out[blockIdx.x * 2 + t / 32] = sum;
    }
}

//: lane_zero_without_syncwarp 2 64 0
//: reported JustVugg/colibri issue 1099: lanes read what other lanes have just written; right: lane_zero_right
//: racecheck no __syncwarp() or __syncthreads() comes between (a) and (b)
//: initcheck 'x' of 256 bytes, which nothing has written
extern "C" __global__ void lane_zero_without_syncwarp(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    const int t = threadIdx.x;
    x[t] = in[blockIdx.x * 64 + t]; // (a)
    if (t % 32 == 0) {
        int sum = 0;
        for (int i = 0; i < 32; i++) sum += x[t + i]; // (b)
        out[blockIdx.x * 2 + t / 32] = sum;
    }
}

//: shuffle_is_no_barrier 1 32 0
//: racecheck no __syncwarp() or __syncthreads() comes between (a) and (b)
extern "C" __global__ void shuffle_is_no_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[32];
    const int t = threadIdx.x;
    x[t] = in[t]; // (a)
    const int other = __shfl_xor_sync(0xffffffff, t, 1);
    out[t] = x[other]; // (b)
}

//: halves_right 1 32 0
extern "C" __global__ void halves_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[32];
    const int t = threadIdx.x;
    x[t] = in[t];
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[t] = x[t ^ 15];
}

//: halves_of_each_other 1 32 0
//: racecheck no __syncwarp() or __syncthreads() comes between (a) and (b)
//: initcheck 'x' of 128 bytes, which nothing has written
extern "C" __global__ void halves_of_each_other(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[32];
    const int t = threadIdx.x;
    x[t] = in[t]; // (a)
    if (t < 16)
        __syncwarp(0x0000ffff);
    else
        __syncwarp(0xffff0000);
    out[t] = x[t ^ 16]; // (b)
}

//: two_levels_right 2 128 0
extern "C" __global__ void two_levels_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[4];
    const int t = threadIdx.x;
    int sum = in[blockIdx.x * 128 + t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}

//: two_levels_without_barrier 2 128 0
//: racecheck no __syncthreads() comes between (a) and (b)
//: initcheck 'part' of 16 bytes, which nothing has written
extern "C" __global__ void two_levels_without_barrier(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[4];
    const int t = threadIdx.x;
    int sum = in[blockIdx.x * 128 + t];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) part[t / 32] = sum;                                       // (a)
    if (t == 0) out[blockIdx.x] = part[0] + part[1] + part[2] + part[3]; // (b)
}

//: compaction_right 2 64 0
extern "C" __global__ void compaction_right(int *out, const int *in, int *zero, int n)
{
    const int value = in[blockIdx.x * 64 + threadIdx.x], lane = threadIdx.x % 32;
    const unsigned chosen = __ballot_sync(0xffffffff, value & 1);
    int base = 0;
    if (lane == 0) base = atomicAdd(zero, __popc(chosen));
    base = __shfl_sync(0xffffffff, base, 0);
    if (value & 1) out[base + __popc(chosen & ((1u << lane) - 1))] = value;
}

//: part_of_a_warp_right 1 32 0
extern "C" __global__ void part_of_a_warp_right(int *out, const int *in, int *zero, int n)
{
    const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < 16);
    if (threadIdx.x < 16) {
        int sum = in[threadIdx.x];
        for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(mask, sum, d);
        if (threadIdx.x == 0) out[0] = sum;
    }
}

//: lane_outside_the_mask 1 32 0
//: synccheck lane 0 gets an undefined value from __shfl_sync: lane 20 is not in the mask 0x0000ffff
extern "C" __global__ void lane_outside_the_mask(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0x0000ffff, in[threadIdx.x], 20);
}

//: sum_of_lanes_that_are_not_there 1 16 0
//: synccheck lane 0 gets an undefined value from __shfl_down_sync: lane 16 has exited or never existed
extern "C" __global__ void sum_of_lanes_that_are_not_there(int *out, const int *in, int *zero, int n)
{
    int sum = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) out[0] = sum;
}

//: sum_with_lanes_that_returned 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_down_sync: lane 24 has exited or never existed, and lane 0 uses it at (a)
extern "C" __global__ void sum_with_lanes_that_returned(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    int sum = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (threadIdx.x == 0) out[0] = sum; // (a)
}

//: float_sum_with_lanes_that_returned 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_down_sync: lane 24 has exited or never existed, and lane 0 uses it
extern "C" __global__ void float_sum_with_lanes_that_returned(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    float sum = in[threadIdx.x], weight = 1;
    for (int d = 16; d > 0; d /= 2) {
        sum += 0.5f * __shfl_down_sync(0xffffffff, sum, d);
        weight += __shfl_down_sync(0xffffffff, 1.0f, d, 1);
    }
    if (threadIdx.x == 0) out[0] = sum / weight;
}

//: largest_with_lanes_outside_the_mask 1 32 0
//: synccheck lane 0 gets an undefined value from __shfl_down_sync: lane 8 has made its value from that of a lane
extern "C" __global__ void largest_with_lanes_outside_the_mask(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 20) {
        long long most = in[threadIdx.x];
        for (int d = 16; d > 0; d /= 2) {
            const long long other = __shfl_down_sync(0x000fffff, most, d);
            most = other > most ? other : most;
        }
        if (threadIdx.x == 0) out[0] = (int)most;
    }
}

//: sum_without_lanes_that_returned_right 1 32 0
extern "C" __global__ void sum_without_lanes_that_returned_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    int sum = in[threadIdx.x];
    float half = sum;
    for (int d = 16; d > 0; d /= 2) {
        const int other = __shfl_down_sync(0xffffffff, sum, d);
        const float other_half = __shfl_down_sync(0xffffffff, half, d);
        sum += threadIdx.x + d < 20 ? other : 0;
        if (threadIdx.x + d < 20) half += 0.5f * other_half;
    }
    if (threadIdx.x == 0) out[0] = sum + (int)half;
}

//: upper_lanes_sum_what_nobody_uses_right 1 32 0
extern "C" __global__ void upper_lanes_sum_what_nobody_uses_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 16) return;
    int sum = in[threadIdx.x];
    float all = sum;
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0x0000ffff, sum, d);
    for (int d = 8; d > 0; d /= 2) all += __shfl_down_sync(0x0000ffff, all, d);
    if (threadIdx.x == 0) out[0] = sum + (int)all;
}

//: prefix_sum_of_a_part_right 1 32 0
extern "C" __global__ void prefix_sum_of_a_part_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    int sum = in[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        const int lower = __shfl_up_sync(0xffffffff, sum, d);
        if (threadIdx.x >= d) sum += lower;
    }
    out[threadIdx.x] = sum;
}

//: butterfly_of_a_part 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_xor_sync: lane 24 is not in the mask
extern "C" __global__ void butterfly_of_a_part(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 8 && threadIdx.x < 16)
        out[threadIdx.x] = __shfl_xor_sync(0x0000ff00, in[threadIdx.x], 16);
}

//: own_lane_not_in_the_mask 1 32 0
//: any is not in its own mask 0x0000ffff
extern "C" __global__ void own_lane_not_in_the_mask(int *out, const int *in, int *zero, int n)
{
    out[threadIdx.x] = __shfl_sync(0x0000ffff, in[threadIdx.x], 0);
}

//: different_barriers 1 64 0
//: any its threads wait at different barriers
extern "C" __global__ void different_barriers(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads();
    } else {
        out[threadIdx.x] = 2;
        __syncthreads();
    }
}

//: lanes_wait_apart 1 32 0
//: any its threads wait for each other and none can go on
extern "C" __global__ void lanes_wait_apart(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x < 16)
        __syncwarp(0xffffffff);
    else
        __syncthreads();
    out[threadIdx.x] = in[threadIdx.x];
}

//: exit_before_barrier_right 1 64 0
extern "C" __global__ void exit_before_barrier_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[64];
    if (threadIdx.x >= 48) return;
    x[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = x[47 - threadIdx.x];
}

//: last_warp_volatile_global 1 64 0
//: racecheck no __syncwarp() or __syncthreads()
extern "C" __global__ void last_warp_volatile_global(int *out, const int *in, int *zero, int n)
{
    volatile int *v = zero;
    const int t = threadIdx.x;
    v[t] = in[t];
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
        if (t == 0) out[0] = v[0];
    }
}

//: last_warp_volatile_global_right 1 64 0
extern "C" __global__ void last_warp_volatile_global_right(int *out, const int *in, int *zero, int n)
{
    volatile int *v = zero;
    const int t = threadIdx.x;
    v[t] = in[t];
    __syncthreads();
    if (t < 32)
        for (int s = 32; s > 0; s /= 2) {
            const int sum = v[t] + v[t + s];
            __syncwarp();
            v[t] = sum;
            __syncwarp();
        }
    if (t == 0) out[0] = v[0];
}

//: flag_between_warps_right 1 64 0
extern "C" __global__ void flag_between_warps_right(int *out, const int *in, int *zero, int n)
{
    volatile int *flag = zero;
    if (threadIdx.x == 0) {
        out[0] = in[0];
        __threadfence_block();
        *flag = 1;
    }
    if (threadIdx.x == 32) {
        if (*flag) out[1] = out[0];
    }
}

//: product_of_lanes_that_returned 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_down_sync: lane 24 has exited or never existed, and lane 0 uses it at (a)
extern "C" __global__ void product_of_lanes_that_returned(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    int product = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) product *= __shfl_down_sync(0xffffffff, product, d);
    if (threadIdx.x == 0) out[0] = product; // (a)
}

//: each_lane_stores_what_it_has 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_down_sync: lane 16 is not in the mask 0x0000ffff, and lane 1 uses it at (a)
extern "C" __global__ void each_lane_stores_what_it_has(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 16) return;
    int sum = in[threadIdx.x];
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0x0000ffff, sum, d);
    out[threadIdx.x] = sum; // (a)
}

__device__ int product_of_the_warp(int product)
{
    for (int d = 16; d > 0; d /= 2) product *= __shfl_down_sync(0xffffffff, product, d);
    return product;
}

//: product_by_a_function 1 32 0
//: synccheck lane 8 gets an undefined value from __shfl_down_sync: lane 24 has exited or never existed, and lane 0 uses it at (a)
extern "C" __global__ void product_by_a_function(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    const int product = product_of_the_warp(in[threadIdx.x]);
    if (threadIdx.x == 0) out[0] = product; // (a)
}

//: product_by_a_function_right 1 32 0
extern "C" __global__ void product_by_a_function_right(int *out, const int *in, int *zero, int n)
{
    const int product = product_of_the_warp(threadIdx.x < 20 ? in[threadIdx.x] : 1);
    if (threadIdx.x == 0) out[0] = product;
}

//: asks_a_lane_outside_and_discards_it_right 1 32 0
extern "C" __global__ void asks_a_lane_outside_and_discards_it_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 16) return;
    const unsigned from = threadIdx.x * 3 % 32;
    const int other = __shfl_sync(0x0000ffff, in[threadIdx.x], from);
    out[threadIdx.x] = from < 16 ? other : 0;
}

//: butterfly_of_a_part_that_is_discarded_right 1 32 0
extern "C" __global__ void butterfly_of_a_part_that_is_discarded_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 20) return;
    float sum = in[threadIdx.x];
    for (unsigned d = 16; d > 0; d /= 2) {
        const float other = __shfl_xor_sync(0x000fffff, sum, d);
        if ((threadIdx.x ^ d) < 20) sum += other;
    }
    out[threadIdx.x] = (int)sum;
}

//: shuffles_what_nothing_has_written 1 32 0
//: initcheck bytes into the __shared__ variable 'x' of 128 bytes, which nothing has written
extern "C" __global__ void shuffles_what_nothing_has_written(int *out, const int *in, int *zero, int n)
{
    __shared__ int x[32];
    const int t = threadIdx.x;
    if (t < 24) x[t] = in[t];
    __syncthreads();
    out[t] = __shfl_xor_sync(0xffffffff, x[t], 1);
}

//: greatest_of_a_part_right 1 32 0
extern "C" __global__ void greatest_of_a_part_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x >= 16) return;
    int most = in[threadIdx.x];
    for (int d = 8; d > 0; d /= 2) {
        const int other = __shfl_down_sync(0x0000ffff, most, d);
        most = other > most ? other : most;
    }
    if (threadIdx.x == 0) out[0] = most;
}
