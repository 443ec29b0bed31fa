// options: -std=c++17
// What programs take for granted: their own names, headers that nobody included, words of older C++, and calls in the
// form of CUDA 13.
#include <cstdio>
#include <cuComplex.h>
#include <cuda/atomic>

enum { CPU_FAILURE_TRAP = 3, CPU_PARAM_FLOAT };
struct cpu_launch { int threads; };
static void cpu_kernel(const cpu_launch &launch, uint64_t *out)
{
    for (int i = 0; i < launch.threads; i++) out[i] = uint64_t(i) << 40;
}

__global__ void gpu_kernel(cpu_launch launch, uint64_t *out)
{
    register int i = threadIdx.x;
    if (launch.threads < CPU_FAILURE_TRAP) __trap();
    out[i] = uint64_t(i) << 40;
}

extern "C"__global__ void count(int *numbers) { numbers[threadIdx.x]++; }

__global__ void divide(cuDoubleComplex *z)
{
    z[2] = cuCdiv(z[0], z[1]);
    z[3] = cuCfma(z[0], z[1], cuConj(z[2]));
    z[4].x = cuCabs(make_cuDoubleComplex(-3, 4));
    z[4].y = cuCabsf(cuComplexDoubleToFloat(make_cuDoubleComplex(0, -2)));
}

static void print(const char *name, cuDoubleComplex z) { printf("%s %g %g\n", name, cuCreal(z), cuCimag(z)); }

int main()
{
    const cpu_launch launch = {CPU_PARAM_FLOAT};
    uint64_t expected[4], *numbers;
    cuDoubleComplex *z;
    cudaMallocManaged(&numbers, sizeof expected);
    cudaMallocManaged(&z, 5 * sizeof *z);

    cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    printf("%d %d\n", cudaMemPrefetchAsync(numbers, sizeof expected, device, 0),
           cudaMemAdvise(numbers, sizeof expected, cudaMemAdviseSetReadMostly, device));
    cpu_kernel(launch, expected);
    gpu_kernel<<<1, 4>>>(launch, numbers);
    cudaDeviceSynchronize();
    count<<<1, 2>>>((int *)z); // what is there is overwritten
    for (int i = 0; i < 4; i++) printf("%d", numbers[i] == expected[i]);
    printf("\n");

    z[0] = make_cuDoubleComplex(1, 2);
    z[1] = cuComplexFloatToDouble(make_cuComplex(0, 4));
    divide<<<1, 1>>>(z);
    cudaDeviceSynchronize();
    print("quotient", z[2]);
    print("fma", z[3]);
    print("sizes", z[4]);
    print("on the host", cuCsub(cuCmul(z[0], z[1]), cuCadd(z[0], cuCdiv(z[0], z[1]))));

    printf("%g %g %g %g\n", rsqrtf(4), rcbrt(8.0), sinpi(1.5), cospif(1));
    cuda::std::atomic<int> state(5);
    volatile cuda::std::atomic<int> &seen = state;
    seen += 2;
    printf("%d\n", seen.load(cuda::std::memory_order_acquire));
    printf("%g %g %g\n", sinpi(-2.0), cospi(0.5), normcdf(0.0));
}
