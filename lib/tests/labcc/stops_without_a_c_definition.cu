// options: -rdc=true
// run LAB_DEVICE=cpu: the program: kernels use halve, which no file that was compiled with -rdc=true defines
#include <cstdio>
extern "C" __device__ float halve(float);
__global__ void kernel(float *x) { *x = halve(*x); }

int main()
{
    kernel<<<1, 1>>>(nullptr);
    puts("not reached");
}
