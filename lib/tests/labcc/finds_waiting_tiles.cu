// run LAB_SYNCCHECK=0: its threads wait at different barriers, but a barrier is for all threads of the block: threads 0-63 wait
// A tile of several warps waits with its whole block here. What a GPU allows then fails, rather than compute otherwise.
#include <cooperative_groups.h>

__global__ void set(int *x)
{
    const auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
    if (tile.meta_group_rank() == 0) tile.sync();
    __syncthreads();
    x[threadIdx.x] = 1;
}

int main()
{
    int *x;
    cudaMalloc(&x, 256 * sizeof *x);
    set<<<1, 256>>>(x);
    return cudaDeviceSynchronize();
}
