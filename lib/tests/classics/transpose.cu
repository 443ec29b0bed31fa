// out = in transposed, through a tile in shared memory. Its rows are one element longer than the tile is wide, so that
// threads that read a column of the tile use different banks. A thread moves four elements.
#define TILE 32
#define ROWS 8

extern "C" __global__ void transpose(const int *in, int *out, int rows, int columns)
{
    __shared__ int tile[TILE][TILE + 1];
    int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (row + k < rows && column < columns) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * columns + column];
    __syncthreads();
    column = blockIdx.y * TILE + threadIdx.x, row = blockIdx.x * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS)
        if (row + k < columns && column < rows) out[(row + k) * rows + column] = tile[threadIdx.x][threadIdx.y + k];
}
