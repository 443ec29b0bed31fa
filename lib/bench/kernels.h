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

#define BENCH_KERNELS_OPENCL                                                                                           \
    "__kernel void tree_sum(__global const float *x, __global float *sums, int n)\n"                                   \
    "{\n"                                                                                                              \
    "    __local float part[256];\n"                                                                                   \
    "    int t = get_local_id(0);\n"                                                                                   \
    "    float sum = 0;\n"                                                                                             \
    "    for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];\n"                                \
    "    part[t] = sum;\n"                                                                                             \
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                              \
    "    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {\n"                               \
    "        if (t < half_size) part[t] += part[t + half_size];\n"                                                     \
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                          \
    "    }\n"                                                                                                          \
    "    if (t == 0) sums[get_group_id(0)] = part[0];\n"                                                               \
    "}\n"                                                                                                              \
    "__kernel void product(__global const float *a, __global const float *b, __global float *c, int n)\n"              \
    "{\n"                                                                                                              \
    "    __local float tile_a[16][16], tile_b[16][16];\n"                                                              \
    "    int x = get_local_id(0), y = get_local_id(1), row = get_group_id(1) * 16 + y;\n"                              \
    "    int column = get_group_id(0) * 16 + x;\n"                                                                     \
    "    float sum = 0;\n"                                                                                             \
    "    for (int first = 0; first < n; first += 16) {\n"                                                              \
    "        tile_a[y][x] = a[row * n + first + x];\n"                                                                 \
    "        tile_b[y][x] = b[(first + y) * n + column];\n"                                                            \
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                          \
    "        for (int k = 0; k < 16; k++) sum += tile_a[y][k] * tile_b[k][x];\n"                                       \
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"                                                                          \
    "    }\n"                                                                                                          \
    "    c[row * n + column] = sum;\n"                                                                                 \
    "}\n"                                                                                                              \
    "__kernel void saxpy(__global float *y, __global const float *x, float a, int count)\n"                            \
    "{\n"                                                                                                              \
    "    int i = get_global_id(0);\n"                                                                                  \
    "    if (i < count) y[i] = a * x[i] + y[i];\n"                                                                     \
    "}\n"

#endif
