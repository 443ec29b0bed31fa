// run LAB_MEMCHECK=1 WHICH=copy: finds_copied_bytes.cu:10: writes 20 bytes
// run LAB_INITCHECK=1 WHICH=read: nothing was found
// run LAB_INITCHECK=1 WHICH=read_behind: finds_copied_bytes.cu:13: reads 4 bytes
// run LAB_RACECHECK=1 WHICH=race: finds_copied_bytes.cu:18: reads 4 bytes, 124 bytes into
// What memcpy and memset do in a kernel is seen as other accesses are.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void copy(char *to, const char *from) { memcpy(to, from, 20); }
__global__ void fill(int *x) { memset(x, 0, 16); }
__global__ void read(const int *x, int *out) { *out = x[0] + x[3]; }
__global__ void read_behind(const int *x, int *out) { *out = x[4]; }
__global__ void race(int *out)
{
    __shared__ int value[64];
    memset(&value[threadIdx.x], 1, sizeof(int));
    out[threadIdx.x] = value[63 - threadIdx.x];
}

int main()
{
    const char *which = getenv("WHICH");
    int *x, *out;
    char *bytes;
    cudaMalloc(&x, 64 * sizeof *x);
    cudaMalloc(&out, 64 * sizeof *out);
    cudaMalloc(&bytes, 19);
    fill<<<1, 1>>>(x);
    if (!strcmp(which, "copy")) copy<<<1, 1>>>(bytes, (const char *)x);
    if (!strcmp(which, "read")) read<<<1, 1>>>(x, out);
    if (!strcmp(which, "read_behind")) read_behind<<<1, 1>>>(x, out);
    if (!strcmp(which, "race")) race<<<1, 64>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    puts(error == cudaSuccess ? "nothing was found" : cudaGetErrorString(error));
    return error != cudaSuccess;
}
