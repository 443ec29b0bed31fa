// One generation of Conway's game on a torus. A block reads its cells and a ring around them into shared memory.
#define TILE 16

extern "C" __global__ void game_of_life(const unsigned char *now, unsigned char *next, int width, int height)
{
    __shared__ unsigned char cell[TILE + 2][TILE + 2];
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE, thread = threadIdx.y * TILE + threadIdx.x;
    for (int k = thread; k < (TILE + 2) * (TILE + 2); k += TILE * TILE) {
        int column = (x + k % (TILE + 2) - 1 + width) % width, row = (y + k / (TILE + 2) - 1 + height) % height;
        cell[k / (TILE + 2)][k % (TILE + 2)] = now[row * width + column];
    }
    __syncthreads();
    x += threadIdx.x, y += threadIdx.y;
    if (x >= width || y >= height) return;
    int neighbours = -cell[threadIdx.y + 1][threadIdx.x + 1];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) neighbours += cell[threadIdx.y + j][threadIdx.x + i];
    next[y * width + x] = neighbours == 3 || (neighbours == 2 && cell[threadIdx.y + 1][threadIdx.x + 1]);
}
