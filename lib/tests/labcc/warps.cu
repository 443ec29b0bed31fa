// What lanes hand to a warp function: variables that only one of them has set, and small numbers.
#include <cstdio>

#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum color { RED, GREEN, BLUE };

// One lane asks for places for the whole warp.
__global__ void places(int *out, int *count)
{
    int first;
    if (threadIdx.x == 0) first = atomicAdd(count, 32);
    first = __shfl_sync(~0u, first, 0);
    out[first + threadIdx.x] = threadIdx.x;
}

// The same for the lanes that are here.
__global__ void multiples_of_three(int *count, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || i % 3) return;
    const auto here = cooperative_groups::coalesced_threads();
    int first;
    if (here.thread_rank() == 0) first = atomicAdd(count, here.size());
    first = here.shfl(first, 0);
    if (first < 0) *count = -1;
}

__global__ void small_numbers(int *out)
{
    const int lane = threadIdx.x;
    const short low = -lane;
    const char letter = 'a' + lane % 26;
    const bool odd = lane & 1;
    const color own = (color)(lane % 3);
    const long wide = (1l << 40) * lane;
    int sum = __shfl_sync(~0u, low, 5) + __shfl_up_sync(~0u, letter, 1) + __shfl_down_sync(~0u, odd, 1);
    sum += __shfl_xor_sync(~0u, own, 1) + (int)(__shfl_sync(~0u, wide, 3) >> 40) + (int)__shfl_xor_sync(~0u, 0.5f, 1);
    sum += __popc(__match_any_sync(~0u, letter)) + (int)__half2float(__shfl_sync(~0u, __int2half_rn(lane), 7));
    atomicAdd(out, sum);
}

int main()
{
    int *out, *count;
    cudaMallocManaged(&out, 1024 * sizeof *out);
    cudaMallocManaged(&count, 3 * sizeof *count);
    places<<<4, 32>>>(out, count);
    multiples_of_three<<<8, 125>>>(count + 1, 1000);
    small_numbers<<<1, 32>>>(count + 2);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    int sum = 0;
    for (int i = 0; i < count[0]; i++) sum += out[i];
    printf("places %d %d\nmultiples of three %d\nsmall numbers %d\n", count[0], sum, count[1], count[2]);
}
