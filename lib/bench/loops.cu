/* The kernels that against_loops.c measures, written as for a GPU. The same text is CUDA C and OpenCL C. */
#ifdef __OPENCL_VERSION__
#define __global__ __kernel
#define __shared__ __local
#define __syncthreads() barrier(CLK_LOCAL_MEM_FENCE)
#define threadIdx ((int2)(get_local_id(0), get_local_id(1)))
#define blockIdx ((int2)(get_group_id(0), get_group_id(1)))
#define blockDim ((int2)(get_local_size(0), get_local_size(1)))
#define gridDim ((int2)(get_num_groups(0), get_num_groups(1)))
#define expf exp
#define fmaxf fmax
#define GLOBAL __global
#else
#define GLOBAL
extern "C" {

__global__ void warp_sum(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = i < n ? a[i] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

__global__ void warp_scan(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float sum = i < n ? a[i] : 0;
    for (int step = 1; step < 32; step *= 2) {
        const float before = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += before;
    }
    if (i < n) out[i] = sum;
}

__global__ void block_sum(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float part[8];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float sum = i < n ? a[i] : 0;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) part[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < 8 ? part[lane] : 0;
        for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
        if (lane == 0) out[blockIdx.x] = sum;
    }
}

/* A row of `n` columns for each warp. b is the weights, then the biases. */
__global__ void layernorm(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = lane; i < n; i += 32) sum += a[row * n + i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    const float mean = sum / n;
    sum = 0;
    for (int i = lane; i < n; i += 32) {
        const float difference = a[row * n + i] - mean;
        sum += difference * difference;
    }
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    const float scale = 1 / sqrtf(sum / n + 1e-5f);
    for (int i = lane; i < n; i += 32) out[row * n + i] = (a[row * n + i] - mean) * scale * b[i] + b[n + i];
}

#endif

__global__ void tree_sum(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float part[256];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int half_count = blockDim.x / 2; half_count > 0; half_count /= 2) {
        if (t < half_count) part[t] += part[t + half_count];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void product(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int first = 0; first < n; first += 16) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    out[row * n + column] = sum;
}

/* A row of `n` columns for each block. */
__global__ void softmax(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float part[256];
    const int t = threadIdx.x, first = blockIdx.x * n;
    float largest = -1e30f, sum = 0;
    for (int i = t; i < n; i += blockDim.x) largest = fmaxf(largest, a[first + i]);
    part[t] = largest;
    __syncthreads();
    for (int half_count = blockDim.x / 2; half_count > 0; half_count /= 2) {
        if (t < half_count) part[t] = fmaxf(part[t], part[t + half_count]);
        __syncthreads();
    }
    largest = part[0];
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x) {
        const float power = expf(a[first + i] - largest);
        out[first + i] = power;
        sum += power;
    }
    part[t] = sum;
    __syncthreads();
    for (int half_count = blockDim.x / 2; half_count > 0; half_count /= 2) {
        if (t < half_count) part[t] += part[t + half_count];
        __syncthreads();
    }
    const float scale = 1 / part[0];
    for (int i = t; i < n; i += blockDim.x) out[first + i] *= scale;
}

/* A query for each thread, `n` keys in tiles of 32, a head for each row of blocks. b is all keys, then all values. */
__global__ void attention(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float keys[32][64], values[32][64];
    const int head = blockIdx.y * n, query = head + blockIdx.x * 64 + threadIdx.x;
    float of_query[64], sum[64], largest = -1e30f, total = 0;
    for (int d = 0; d < 64; d++) {
        of_query[d] = a[query * 64 + d];
        sum[d] = 0;
    }
    for (int first = 0; first < n; first += 32) {
        for (int i = threadIdx.x; i < 32 * 64; i += 64) {
            keys[i / 64][i % 64] = b[(head + first) * 64 + i];
            values[i / 64][i % 64] = b[(rows * n + head + first) * 64 + i];
        }
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float score = 0;
            for (int d = 0; d < 64; d++) score += of_query[d] * keys[k][d];
            const float next = fmaxf(largest, score * 0.125f), scale = expf(largest - next);
            const float weight = expf(score * 0.125f - next);
            for (int d = 0; d < 64; d++) sum[d] = sum[d] * scale + weight * values[k][d];
            total = total * scale + weight;
            largest = next;
        }
        __syncthreads();
    }
    for (int d = 0; d < 64; d++) out[query * 64 + d] = sum[d] / total;
}

/* 5x5 weights; what lies outside the image is 0. */
__global__ void conv2d(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= rows) return;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            if (x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < rows)
                sum += a[(y + dy) * n + x + dx] * b[(dy + 2) * 5 + dx + 2];
    out[y * n + x] = sum;
}

/* The Laplacian inside a cube, a thread for each column of its planes. */
__global__ void laplace3d(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1) return;
    for (int z = 1; z < n - 1; z++) {
        const int i = (z * n + y) * n + x;
        out[i] = (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]) * (1.0f / 6.0f);
    }
}

/* The mean of the 27 elements around each inside a cube, a thread for each. */
#define LINE(dy, dz) (a[i + ((dz) * n + (dy)) * n - 1] + a[i + ((dz) * n + (dy)) * n] + a[i + ((dz) * n + (dy)) * n + 1])
__global__ void blur3d(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, line = blockIdx.y * blockDim.y + threadIdx.y;
    const int y = line % n, z = line / n, i = line * n + x;
    if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1 || z < 1 || z >= n - 1) return;
    out[i] = (LINE(-1, -1) + LINE(0, -1) + LINE(1, -1) + LINE(-1, 0) + LINE(0, 0) + LINE(1, 0) + LINE(-1, 1) +
              LINE(0, 1) + LINE(1, 1)) *
             (1.0f / 27.0f);
}

__global__ void transpose(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void saxpy(GLOBAL float *out, const GLOBAL float *a, const GLOBAL float *b, int n, int rows)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 0.5f * a[i] + b[i];
}

#ifndef __OPENCL_VERSION__
}
#endif
