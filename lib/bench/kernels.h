/* Kernels with barriers, written as for a GPU, that several benchmarks run: block sums by a tree, and a matrix product
 * by tiles. And one without barriers: y = a x + y. */
#ifndef LAB_BENCH_KERNELS_H
#define LAB_BENCH_KERNELS_H

enum {
    TREE_COUNT = 1 << 22,
    TREE_BLOCKS = 1024,
    TREE_THREADS = 256,
    PRODUCT_SIDE = 512,
    PRODUCT_TILE = 16,
};

#define BENCH_KERNELS_CUDA                                                                                             \
    "extern \"C\" __global__ void tree_sum(const float *x, float *sums, int n)\n"                                      \
    "{\n"                                                                                                              \
    "    __shared__ float part[256];\n"                                                                                \
    "    int t = threadIdx.x;\n"                                                                                       \
    "    float sum = 0;\n"                                                                                             \
    "    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += x[i];\n"                 \
    "    part[t] = sum;\n"                                                                                             \
    "    __syncthreads();\n"                                                                                           \
    "    for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"                                                     \
    "        if (t < half) part[t] += part[t + half];\n"                                                               \
    "        __syncthreads();\n"                                                                                       \
    "    }\n"                                                                                                          \
    "    if (t == 0) sums[blockIdx.x] = part[0];\n"                                                                    \
    "}\n"                                                                                                              \
    "extern \"C\" __global__ void product(const float *a, const float *b, float *c, int n)\n"                          \
    "{\n"                                                                                                              \
    "    __shared__ float tile_a[16][16], tile_b[16][16];\n"                                                           \
    "    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;\n"             \
    "    float sum = 0;\n"                                                                                             \
    "    for (int first = 0; first < n; first += 16) {\n"                                                              \
    "        tile_a[y][x] = a[row * n + first + x];\n"                                                                 \
    "        tile_b[y][x] = b[(first + y) * n + column];\n"                                                            \
    "        __syncthreads();\n"                                                                                       \
    "        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];\n"                                       \
    "        __syncthreads();\n"                                                                                       \
    "    }\n"                                                                                                          \
    "    c[row * n + column] = sum;\n"                                                                                 \
    "}\n"                                                                                                              \
    "extern \"C\" __global__ void saxpy(float *y, const float *x, float a, int count)\n"                               \
    "{\n"                                                                                                              \
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"                                                             \
    "    if (i < count) y[i] = a * x[i] + y[i];\n"                                                                     \
    "}\n"

#endif
