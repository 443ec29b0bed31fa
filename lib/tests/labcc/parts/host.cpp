#include "parts.h"
#include <cuda_runtime.h>

int at_least_one_device()
{
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count >= 1;
}
