// What CUDA C++ adds to C++, in one program.
#include <algorithm>
#include <cmath>
#include <cooperative_groups.h>
#include <cstdio>
#include <iostream>
#include <typeinfo>
#include <vector>

namespace groups = cooperative_groups;

struct options {
    float factor;
    bool negative;
    double more[3];
};

__constant__ float table[4] = {1, 2, 3, 4};
__device__ unsigned long long visits;
static __device__ float hidden[2] = {0.5f, 0.25f};
namespace inner {
__device__ int depth = 7;
}

template <class T> struct square {
    __host__ __device__ T operator()(T x) const { return x * x; }
};

template <class T, class F> __global__ void __launch_bounds__(256) map(const T *in, T *out, int n, F function)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = function(in[i]);
    if (threadIdx.x == 0) atomicAdd(&visits, 1ull);
}

extern "C" __global__ void scale(float *x, const options how, bool twice, dim3 shape)
{
    float value = x[threadIdx.x] * how.factor + float(how.more[2]);
    if (twice) value *= 2;
    x[threadIdx.x] = (how.negative ? -value : value) + shape.y;
}

__global__ void reduce(const float *in, float *out)
{
    extern __shared__ float part[];
    __shared__ float sums[8];
    const int t = threadIdx.x;
    part[t] = in[t];
    __syncthreads();
    float sum = part[blockDim.x - 1 - t];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    if (t % 32 == 0) sums[t / 32] = sum;
    __syncthreads();
    if (t == 0) *out = std::max(sums[0], sums[1]) + sums[2] + min(sums[3], 1e6f);
}

__global__ void look(float4 *out)
{
    auto tile = groups::tiled_partition<16>(groups::this_thread_block());
    const float4 v = make_float4(std::sqrt(table[3]), sinf(0.0f), hidden[1], (float)pow(2.0, 3));
    if (tile.thread_rank() == 5 && tile.meta_group_rank() == 1) out[0] = v;
    if (threadIdx.x == 0) printf("from the device: depth %d, visits %llu\n", inner::depth, visits);
}

// Overloads, and a lambda of the device that captures.
__global__ void set(int *x) { *x = 1; }
__global__ void set(float *x) { *x = 2; }

// Virtual functions on both sides, and the host's run-time types.
struct shape {
    __host__ __device__ virtual int corners() const = 0;
    __host__ __device__ virtual ~shape() {}
};
struct triangle : shape {
    __host__ __device__ int corners() const override { return 3; }
};
__global__ void count_corners(int *x)
{
    triangle t;
    const shape &any = t;
    *x = any.corners();
}
static bool is_triangle(const shape &any) { return dynamic_cast<const triangle *>(&any) && typeid(any) == typeid(triangle); }

static void show(const char *name, const float *device, int count)
{
    std::vector<float> host(count);
    cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
    std::cout << name;
    for (float value : host) std::cout << ' ' << value;
    std::cout << std::endl;
}

int main()
{
    const int n = 128;
    float *x, *y;
    cudaMalloc(&x, n * sizeof *x);
    cudaMalloc(&y, n * sizeof *y);
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpy(x, host.data(), n * sizeof *x, cudaMemcpyHostToDevice);

    map<<<2, 64>>>(x, y, n, square<float>());
    show("squares", y, 4);
    const float shift = 0.5f;
    map<<<dim3(4), dim3(32)>>>(x, y, n, [=] __device__(float value) { return value + shift; });
    show("shifted", y, 4);

    options how = {3, true, {0, 0, 1}};
    scale<<<1, 4>>>(y, how, true, dim3(1, 100));
    show("scaled", y, 4);
    reduce<<<1, n, n * sizeof(float)>>>(x, y);
    show("reduced", y, 1);

    const float four = 16;
    int depth = 8;
    cudaMemcpyToSymbol(table, &four, sizeof four, 3 * sizeof four);
    cudaMemcpyToSymbol(inner::depth, &depth, sizeof depth);
    look<<<1, 32>>>((float4 *)y);
    cudaDeviceSynchronize();
    show("looked", y, 4);

    set<<<1, 1>>>(y);
    set<<<1, 1>>>((int *)y + 1);
    show("set", y, 1);
    unsigned long long count = 0;
    cudaMemcpyFromSymbol(&count, visits, sizeof count);
    std::cout << "visits " << count << ", on the host " << square<int>()(5) << ' ' << max(3, 4) << std::endl;

    int corners = 0;
    count_corners<<<1, 1>>>((int *)y);
    cudaMemcpy(&corners, y, sizeof corners, cudaMemcpyDeviceToHost);
    std::cout << "corners " << corners << ", a triangle " << is_triangle(triangle()) << std::endl;

    void *arguments[] = {&y};
    void (*overload)(float *) = set;
    std::cout << "by pointer " << cudaGetErrorName(cudaLaunchKernel((void *)overload, dim3(1), dim3(1), arguments, 0, 0))
              << ", a block too large " << (set<<<1, 2048>>>(y), cudaGetErrorName(cudaGetLastError())) << std::endl;
    return 0;
}
