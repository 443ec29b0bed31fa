// Casts: a kernel's float-to-integer cast saturates; in C the same cast is undefined. And a number that the device has
// computed costs a wait before the host may read it.
#include "check.h"
#include <climits>
#include <cmath>

const int VALUES = 7;

__global__ void cast(int *to_int, unsigned *to_unsigned, signed char *to_char, const float *x, int count)
{
    int i = threadIdx.x;
    if (i >= count) return;
    to_int[i] = (int)x[i];
    to_unsigned[i] = (unsigned)x[i];
    to_char[i] = (signed char)(int)x[i];
}

__global__ void count_negative(int *result, const int *numbers, int count)
{
    int i = threadIdx.x;
    if (i < count && numbers[i] < 0) atomicAdd(result, 1);
}

// What the kernel's cast gives, without undefined behaviour.
static int cast_as_device(float x)
{
    if (x != x) return 0;
    if (x < -2147483648.0f) return INT_MIN;
    return x >= 2147483648.0f ? INT_MAX : (int)x;
}

int main()
{
    float *x;
    int *to_int, *negative;
    unsigned *to_unsigned;
    signed char *to_char;
    const float value[VALUES] = {-1.0f, -0.5f, 300.0f, 3e9f, 1e10f, -INFINITY, NAN};
    CHECK(cudaMallocManaged(&x, sizeof value));
    CHECK(cudaMallocManaged(&to_int, VALUES * sizeof(int)));
    CHECK(cudaMallocManaged(&to_unsigned, VALUES * sizeof(unsigned)));
    CHECK(cudaMallocManaged(&to_char, VALUES));
    CHECK(cudaMallocManaged(&negative, sizeof(int)));
    for (int i = 0; i < VALUES; i++) x[i] = value[i];
    *negative = 0;

    cast<<<1, 32>>>(to_int, to_unsigned, to_char, x, VALUES);
    count_negative<<<1, 32>>>(negative, to_int, VALUES);
    // Managed memory belongs to the device until the host has waited.
#ifndef MISTAKE
    CHECK(cudaDeviceSynchronize());
#endif
    std::printf("negative: %d\n", *negative);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < VALUES; i++)
        std::printf("int %11d, unsigned %10u, char %4d, the host agrees: %d\n", to_int[i], to_unsigned[i], to_char[i],
                    to_int[i] == cast_as_device(value[i]));
    return 0;
}
