/* The kernels of lab 12. No product is added to anything that it could be rounded with, so the host
 * gets the same bits. */

/* A step of the logistic map, a chaotic one: a step more or less changes every digit. */
extern "C" __global__ void advance(float *to, const float *from, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 3.9f * from[i] * (1.0f - from[i]);
}

/* Half of a and a quarter of b. */
extern "C" __global__ void mix(float *to, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 0.5f * a[i] + 0.25f * b[i];
}

extern "C" __global__ void add(float *sum, const float *x, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) sum[i] += x[i];
}

/* The numbers at the address in the table. */
extern "C" __global__ void gather(float *to, float *const *table, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = table[0][i];
}
