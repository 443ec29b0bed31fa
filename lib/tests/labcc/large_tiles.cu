// Tiles of several warps: what their threads compute together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>
namespace cg = cooperative_groups;

struct pair {
    float value;
    int rank;
};
struct larger {
    __device__ pair operator()(pair one, pair other) const { return one.value < other.value ? other : one; }
};

template <unsigned Size> __global__ void tiles(long long *out)
{
    __shared__ cg::block_tile_memory<1024> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const cg::thread_block_tile<Size> tile = cg::tiled_partition<Size>(block);
    const auto half = cg::tiled_partition<Size / 2>(tile);
    const int rank = tile.thread_rank();
    long long sum = 0;
    sum += 1 * cg::reduce(tile, rank * rank, cg::plus<int>());
    sum += 3 * cg::reduce(tile, (long long)rank - 5, cg::less<long long>());
    sum += 5 * cg::reduce(tile, pair{rank * 7 % 61 + rank * 0.001f, rank}, larger()).rank;
    sum += 7 * cg::inclusive_scan(tile, rank + 1);
    sum += 11 * cg::exclusive_scan(tile, rank + 2);
    sum += 13 * tile.shfl(rank * 3, Size - 1 - tile.meta_group_rank());
    sum += 17 * tile.any(rank == 40) + 19 * tile.all(rank < 40) + 23 * tile.all(rank < 5000);
    sum += 29 * (half.meta_group_rank() + 2 * half.meta_group_size() + 3 * half.thread_rank());
    sum += 31 * (tile.meta_group_rank() + 2 * tile.meta_group_size() + tile.num_threads());
    tile.sync();
    out[block.thread_rank()] = sum;
}

template <unsigned Size> void print(long long *out, dim3 threads)
{
    const int count = threads.x * threads.y;
    unsigned long long sum = 0;
    tiles<Size><<<1, threads>>>(out);
    const cudaError_t ended = cudaDeviceSynchronize();
    for (int i = 0; i < count; i++) sum = sum * 31 + out[i];
    printf("%u of %d: %lld %lld %llu %s\n", Size, count, out[0], out[count - 1], sum, cudaGetErrorName(ended));
}

int main()
{
    long long *out;
    cudaMallocManaged(&out, 1024 * sizeof *out);
    print<64>(out, 256);
    print<64>(out, dim3(32, 2));
    print<128>(out, dim3(16, 32));
    print<256>(out, 256);
    print<512>(out, 1024);
}
