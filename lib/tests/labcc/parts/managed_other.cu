#include "managed.h"

static __managed__ point corner = {{100, 0}, 'o'}; // another than the first file's

__global__ void add(int *to) { *to += corner.at[0]; }

void other()
{
    corner.at[0] += 1;
    add<<<1, 1>>>(&count);
    cudaDeviceSynchronize();
}
