// run LAB_RACECHECK=1: finds_races.cu:9: writes 4 bytes, 128 bytes into the __shared__ variable
// run LAB_RACECHECK=1: the launch is at finds_races.cu:19
#include <cstdio>

template <class T> __global__ void sum(const T *x, T *out)
{
    __shared__ T part[64];
    const int t = threadIdx.x;
    part[t] = x[t];
    for (int step = 32; step > 0; step /= 2)
        if (t < step) part[t] += part[t + step]; // no barrier
    if (t == 0) *out = part[0];
}

int main()
{
    int *x;
    cudaMalloc(&x, 65 * sizeof *x), cudaMemset(x, 0, 65 * sizeof *x), sum<int>
        <<<1, 64>>>(x, x + 64);
    return cudaDeviceSynchronize() != cudaSuccess;
}
