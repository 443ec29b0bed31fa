// In which memory an address lies: constants and shared memory of this file, locals before and after a barrier.
#include <cstdio>

__constant__ int table[4];
static __constant__ const char words[] = "three, align 4";
__device__ int counter;
__managed__ int managed;

__device__ const char *kind(const void *p)
{
    return __isShared(p) ? "shared" : __isConstant(p) ? "constant" : __isLocal(p) ? "local" : __isGlobal(p) ? "global" : "?";
}

__global__ void ask(const int *in)
{
    __shared__ int tile[32];
    extern __shared__ int sized[];
    int local[4];
    for (int i = 0; i < 4; i++) local[i] = in[i];
    tile[threadIdx.x] = local[in[0]];
    __syncthreads();
    if (threadIdx.x != 31) return;
    printf("table %s, words %s, tile %s, sized %s\n", kind(&table[in[1]]), kind(words), kind(tile), kind(sized));
    printf("local %s, in %s, counter %s, managed %s\n", kind(&local[in[1]]), kind(in), kind(&counter), kind(&managed));
}

int main()
{
    int *in;
    cudaMalloc(&in, 4 * sizeof *in);
    cudaMemset(in, 0, 4 * sizeof *in);
    ask<<<1, 32, 256>>>(in);
    cudaDeviceSynchronize();
}
