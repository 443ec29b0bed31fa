// options: -rdc=true %D/parts/managed_other.cu -I%D/parts
// One memory for kernels and the host's code of all files, also before any call of CUDA.
#include "managed.h"
#include <cstdio>

__managed__ int count = 5;
__device__ __managed__ float table[4] = {1.5f, 2.5f};
static __managed__ point corner = {{3, 4}, 'c'};
namespace space {
__managed__ double large[1 << 20];
static __managed__ int *reached;
}

__global__ void change()
{
    table[threadIdx.x + 2] = table[threadIdx.x] * 2;
    if (threadIdx.x != 0) return;
    count += 1;
    corner.at[1] += 10;
    space::large[(1 << 20) - 1] = count;
    space::reached = &corner.at[1];
}

static const char *kind(const void *address)
{
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, address);
    return attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == address ? "managed" : "other";
}

int main()
{
    printf("%d %g %g %d %c %g\n", count, table[1], table[2], corner.at[1], corner.mark, space::large[0]);
    count *= 2;
    printf("%s %s %s\n", kind(&count), kind(&table[3]), kind(&corner));
    change<<<1, 2>>>();
    cudaDeviceSynchronize();
    printf("%d %g %g %d %g %d\n", count, table[2], table[3], corner.at[1], space::large[(1 << 20) - 1],
           *space::reached);

    int copied = 0, *address = nullptr;
    cudaMemcpyFromSymbol(&copied, count, sizeof copied);
    cudaGetSymbolAddress((void **)&address, count);
    printf("%d %d\n", copied, address == &count);
    copied = 20;
    cudaMemcpyToSymbol(count, &copied, sizeof copied);
    cudaMemcpy(&table[0], &table[2], 2 * sizeof *table, cudaMemcpyDefault);
    printf("%d %g %g %s\n", count, table[0], table[1], cudaGetErrorName(cudaFree(&count)));
    cudaGetLastError();

    other();
    printf("%d %d\n", count, corner.at[0]);
    cudaDeviceReset();
    change<<<1, 2>>>();
    cudaDeviceSynchronize();
    printf("%d %s %s\n", count, kind(&count), cudaGetErrorName(cudaGetLastError()));
}
