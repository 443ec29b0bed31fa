// refused: cooperative groups have at most a warp or exactly a block of threads on the CPU device
#include <cooperative_groups.h>

__global__ void sum(int *x)
{
    auto tile = cooperative_groups::tiled_partition<64>(cooperative_groups::this_thread_block());
    tile.sync();
    x[tile.meta_group_rank()] = tile.shfl(1, 0);
}
int main() {}
