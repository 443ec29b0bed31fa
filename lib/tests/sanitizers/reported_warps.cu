// What others reported of warps and of what one thread does; as in reported_blocks.cu.
#include <cuda_pipeline.h>

//: counter_of_a_group_reset 1 32 0
//: reported NVIDIA/cuCollections pull 337: a lane resets the counter, which others increment after a vote alone
//: racecheck no __syncwarp() or __syncthreads() comes between
extern "C" __global__ void counter_of_a_group_reset(int *out, const int *in, int *zero, int n)
{
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncwarp();
    for (int i = 0; i < 3; i++) {
        const int place = atomicAdd(&count, 1);
        out[i * 32 + place] = in[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) count = 0;
        if (!__any_sync(0xffffffff, in[i] >= 0)) break;
    }
}

//: counter_of_a_group_reset_right 1 32 0
extern "C" __global__ void counter_of_a_group_reset_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncwarp();
    for (int i = 0; i < 3; i++) {
        const int place = atomicAdd(&count, 1);
        out[i * 32 + place] = in[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) count = 0;
        __syncwarp();
        if (!__any_sync(0xffffffff, in[i] >= 0)) break;
    }
}

//: mask_of_another_group 1 32 0
//: reported kokkos/kokkos issue 1958: the mask of a part of a warp is computed for another part
//: any is not in its own mask
extern "C" __global__ void mask_of_another_group(int *out, const int *in, int *zero, int n)
{
    const int width = 8, lane = threadIdx.x;
    const unsigned mask = 0xffu << lane % (32 / width) * width;
    out[lane] = __shfl_sync(mask, in[lane], 0, width);
}

//: mask_of_another_group_right 1 32 0
extern "C" __global__ void mask_of_another_group_right(int *out, const int *in, int *zero, int n)
{
    const int width = 8, lane = threadIdx.x;
    const unsigned mask = 0xffu << lane / width * width;
    out[lane] = __shfl_sync(mask, in[lane], 0, width);
}

//: rounds_of_parts_with_the_mask_of_all 1 32 0
//: reported NVIDIA/cub issue 154: parts of a warp do different numbers of rounds with the mask of the whole warp
//: synccheck passes by this __shfl_sync() without having returned, while lane
extern "C" __global__ void rounds_of_parts_with_the_mask_of_all(int *out, const int *in, int *zero, int n)
{
    const int lane = threadIdx.x, part = lane / 8;
    int sum = 0;
    for (int i = 0; i <= part; i++) sum += __shfl_sync(0xffffffff, in[lane] + i, 0, 8);
    out[lane] = sum;
}

//: rounds_of_parts_with_the_mask_of_all_right 1 32 0
extern "C" __global__ void rounds_of_parts_with_the_mask_of_all_right(int *out, const int *in, int *zero, int n)
{
    const int lane = threadIdx.x, part = lane / 8;
    int sum = 0;
    for (int i = 0; i <= part; i++) sum += __shfl_sync(0xffu << part * 8, in[lane] + i, 0, 8);
    out[lane] = sum;
}

//: lanes_of_the_other_branch 1 32 0
//: reported ROCm/hip issue 3172: both branches shuffle, and each names lanes that are in the other one
//: synccheck lane 1 gets an undefined value from __shfl_sync: lane 4 is not in the mask 0xaaaaaaaa
extern "C" __global__ void lanes_of_the_other_branch(int *out, const int *in, int *zero, int n)
{
    const int lane = threadIdx.x;
    if (lane % 2)
        out[lane] = __shfl_sync(0xaaaaaaaa, in[lane], 4);
    else
        out[lane] = __shfl_sync(0x55555555, in[lane], 2);
}

//: lanes_of_the_other_branch_right 1 32 0
extern "C" __global__ void lanes_of_the_other_branch_right(int *out, const int *in, int *zero, int n)
{
    const int lane = threadIdx.x;
    const int fourth = __shfl_sync(0xffffffff, in[lane], 4), second = __shfl_sync(0xffffffff, in[lane], 2);
    out[lane] = lane % 2 ? fourth : second;
}

//: as_many_lanes_as_warps 1 64 0
//: reported xlite-dev/LeetCUDA issue 409: 32 lanes read the results of the warps, which are fewer
//: any past the end of the __shared__ variable 'of_warp' of 8 bytes
extern "C" __global__ void as_many_lanes_as_warps(int *out, const int *in, int *zero, int n)
{
    __shared__ int of_warp[2];
    const int lane = threadIdx.x % 32;
    int sum = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = of_warp[lane];
    for (int d = 1; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[0] = sum;
}

//: as_many_lanes_as_warps_right 1 64 0
extern "C" __global__ void as_many_lanes_as_warps_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int of_warp[2];
    const int lane = threadIdx.x % 32;
    int sum = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) of_warp[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = lane < 2 ? of_warp[lane] : 0;
    for (int d = 1; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[0] = sum;
}

//: color_of_the_nearest 1 32 0
//: reported NVIDIA/flashdreams pull 65: the lanes that happen to be together wait for each other, not all that write
//: racecheck a race (
extern "C" __global__ void color_of_the_nearest(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x == 0) out[0] = 1 << 30;
    __syncwarp();
    if (in[threadIdx.x] & 1) {
        atomicMin(out, in[threadIdx.x]);
        __syncwarp(__activemask());
    } else {
        atomicMin(out, in[threadIdx.x]);
        __syncwarp(__activemask());
    }
    if (in[threadIdx.x] == out[0]) out[1] = threadIdx.x;
}

//: color_of_the_nearest_right 1 32 0
extern "C" __global__ void color_of_the_nearest_right(int *out, const int *in, int *zero, int n)
{
    if (threadIdx.x == 0) out[0] = 1 << 30;
    __syncwarp();
    atomicMin(out, in[threadIdx.x]);
    __syncwarp();
    if (in[threadIdx.x] == out[0]) out[1] = threadIdx.x;
}

//: pairs_as_fours 1 64 0
//: reported ggml-org/llama.cpp pull 18799: two pairs of numbers are copied as four, at an address for pairs
//: any which is no multiple of 16
extern "C" __global__ void pairs_as_fours(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(16) float2 pair[130];
    if (threadIdx.x < 32) *(float4 *)(pair + 1 + 2 * threadIdx.x) = make_float4(in[threadIdx.x], 0, 0, 1);
    __syncthreads();
    out[threadIdx.x] = (int)pair[1 + threadIdx.x].x;
}

//: pairs_as_fours_right 1 64 0
extern "C" __global__ void pairs_as_fours_right(int *out, const int *in, int *zero, int n)
{
    __shared__ __align__(16) float2 pair[130];
    if (threadIdx.x < 32) *(float4 *)(pair + 2 + 2 * threadIdx.x) = make_float4(in[threadIdx.x], 0, 0, 1);
    __syncthreads();
    out[threadIdx.x] = (int)pair[2 + threadIdx.x].x;
}

//: copies_that_nobody_waits_for 1 64 0
//: reported NVIDIA/Fuser pull 3438: a barrier does not wait for asynchronous copies
//: racecheck writes at (c): a race (read after write): the copy is asynchronous: no __pipeline_wait_prior() of its thread comes
extern "C" __global__ void copies_that_nobody_waits_for(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int)); // (c)
    __pipeline_commit();
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
    __pipeline_wait_prior(0);
}

//: copies_that_nobody_waits_for_right 1 64 0
extern "C" __global__ void copies_that_nobody_waits_for_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int tile[64];
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

//: result_of_one_thread_in_all 1 64 0
//: reported ROCm/rocPRIM issue 179: a sum is in one thread alone, and all use their own variable for it
//: initcheck reads a local variable, to which nothing has given a value
extern "C" __global__ void result_of_one_thread_in_all(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[64];
    int sum;
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = sum = 0; i < 64; i++) sum += part[i];
    out[threadIdx.x] = sum;
}

//: result_of_one_thread_in_all_right 1 64 0
extern "C" __global__ void result_of_one_thread_in_all_right(int *out, const int *in, int *zero, int n)
{
    __shared__ int part[64], sum;
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (int i = 0; i < 64; i++) sum += part[i];
    }
    __syncthreads();
    out[threadIdx.x] = sum;
}
