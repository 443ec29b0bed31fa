/*
 * The kernels with which programs for the model are timed: STEPS(n) is n or, where a profile has their times, 1.
 */
#ifndef LAB_MODEL_KERNELS_H
#define LAB_MODEL_KERNELS_H

#define MODEL_KERNELS                                                                                                  \
    "extern \"C\" __global__ void add(float *y, const float *x, int n)\n"                                              \
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += 0.5f * x[i]; }\n"                             \
    "extern \"C\" __global__ void twice(float *x, int n)\n"                                                            \
    "{ for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)\n"                      \
    "    x[i] = 2 * x[i] + 1; }\n"                                                                                     \
    "__device__ void work(float *x, int steps)\n"                                                                      \
    "{ float v = x[threadIdx.x]; for (int i = 0; i < steps; i++) v = v * 0.999f + 0.5f; x[threadIdx.x] = v; }\n"       \
    "extern \"C\" __global__ void work2k(float *x) { work(x, STEPS(2000)); }\n"                                        \
    "extern \"C\" __global__ void work20k(float *x) { work(x, STEPS(20000)); }\n"                                      \
    "extern \"C\" __global__ void nothing(float *x) { }\n"

#endif
