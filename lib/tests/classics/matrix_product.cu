// c = a * b, with a of rows x inner elements and b of inner x columns: a block computes a tile of c and walks along a
// row of tiles of a and a column of tiles of b, which its threads bring into shared memory together.
#define TILE 16

extern "C" __global__ void matrix_product(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int first = 0; first < inner; first += TILE) {
        tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0;
        tile_b[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns) c[row * columns + column] = sum;
}
