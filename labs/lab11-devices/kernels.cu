/* The kernels of lab 11. No product is added to anything that it could be rounded with, so the host
 * gets the same bits. */

/* Each number of `from` after some steps of the logistic map, a chaotic one: a step more or less
 * changes every digit. */
extern "C" __global__ void advance(float *to, const float *from, int count, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = from[i];
    for (int step = 0; step < steps; step++) value = 3.9f * value * (1.0f - value);
    to[i] = value;
}

/* Half of a and a quarter of b. */
extern "C" __global__ void mix(float *to, const float *a, const float *b, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = 0.5f * a[i] + 0.25f * b[i];
}
