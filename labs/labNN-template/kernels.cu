extern "C" __global__ void scale(float *x, int count, float factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) x[i] = x[i] * factor;
}
