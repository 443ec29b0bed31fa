/* Multiplying by 2 or 0.5 is exact, so each result is rounded once: the host gets the same bits. */

extern "C" __global__ void smooth(float *to, const float *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 0.5f * (from[i] + from[(i + 1) % count]);
}

extern "C" __global__ void twice(float *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = 2.0f * x[i];
}

extern "C" __global__ void gather(float *to, float *const *table, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 2.0f * table[0][i];
}
