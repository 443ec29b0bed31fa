// Copies of cuda_pipeline.h: a tile is in shared memory after the wait and the barrier, and the rest of it is 0.
#include <cstdio>
#include <cuda_pipeline.h>
#include <cuda_pipeline_primitives.h>

__global__ void reverse(const int4 *in, int4 *out)
{
    __shared__ int4 tile[32];
    const int t = threadIdx.x;
    __pipeline_memcpy_async(&tile[t], &in[t], sizeof *in, t == 0 ? 8 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = tile[31 - t];
}

int main()
{
    int4 *in, *out;
    cudaMallocManaged(&in, 32 * sizeof *in);
    cudaMallocManaged(&out, 32 * sizeof *out);
    for (int i = 0; i < 32; i++) in[i] = make_int4(i + 1, i + 2, i + 3, i + 4);
    reverse<<<1, 32>>>(in, out);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", out[0].x, out[0].w, out[31].y, out[31].z);
}
