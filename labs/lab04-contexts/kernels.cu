/* Multiplying by 2 is exact. So the result is rounded once, and the host gets the same bits. */
extern "C" __global__ void shift(float *x, int count, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = 2.0f * x[i] + by;
}
