// cuda_fp16.h and cuda_bf16.h in host code and in kernels: the same numbers on both sides. No sum follows a product: a GPU
// may round the two once.
#include <cstdio>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __host__ __device__ T step(T a, T x, T y) { return (y - x) * a / (y + a); }

template <typename T> __global__ void axpy(T a, const T *x, T *y)
{
    y[threadIdx.x] = step(a, x[threadIdx.x], y[threadIdx.x]);
}

__global__ void dot(const half2 *a, float *sum)
{
    half2 own = __hmul2(a[threadIdx.x], a[threadIdx.x]);
    for (int distance = 16; distance; distance /= 2) own = __hadd2(own, __shfl_down_sync(~0u, own, distance));
    if (threadIdx.x == 0) *sum = __low2float(own) + __high2float(own) + __half2float(hsqrt(__float2half(16.0f)));
}

template <typename T> void compare(const char *name)
{
    const int count = 200;
    std::vector<T> x(count), y(count), from(count);
    for (int i = 0; i < count; i++) x[i] = T(0.37f * (float)i), y[i] = from[i] = T(1000.5 / (i + 1));
    T *dx, *dy;
    int differ = 0;
    float sum = 0;
    cudaMalloc(&dx, count * sizeof(T));
    cudaMalloc(&dy, count * sizeof(T));
    cudaMemcpy(dx, x.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), count * sizeof(T), cudaMemcpyHostToDevice);
    axpy<<<1, count>>>(T(2.5f), dx, dy);
    cudaMemcpy(y.data(), dy, count * sizeof(T), cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; i++) differ += y[i] != step(T(2.5f), x[i], from[i]), sum += (float)y[i];
    printf("%s: %d differ, sum %g\n", name, differ, sum);
    cudaFree(dx);
    cudaFree(dy);
}

int main()
{
    compare<half>("half");
    compare<__nv_bfloat16>("bfloat16");
    half2 *pairs;
    float *sum;
    cudaMallocManaged(&pairs, 32 * sizeof *pairs);
    cudaMallocManaged(&sum, sizeof *sum);
    for (int i = 0; i < 32; i++) pairs[i] = __floats2half2_rn((float)(i % 4), 0.5f);
    dot<<<1, 32>>>(pairs, sum);
    cudaDeviceSynchronize();
    printf("dot %g\n", *sum);
    cudaFree(pairs);
    cudaFree(sum);
    printf("rounded %x %x %x\n", __half_as_ushort(__float2half_rd(0.1f)), __half_as_ushort(__float2half_ru(0.1f)),
           __half_as_ushort(half(65520.0)));
    printf("whole %d %g %g\n", (int)half(3.7f), (float)__nv_bfloat16(1ll << 40), (float)__float2bfloat16(1.00390625f));
    printf("compared %d %d\n", __hgt(half(2), half(1)), half(2) < half(1));
}
