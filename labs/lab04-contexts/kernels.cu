/* Rounded once, so the host gets the same bits: multiplying by 2 is exact. */
extern "C" __global__ void shift(float *x, int count, float by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = 2.0f * x[i] + by;
}
