/* Each result is rounded once, so the host gets the same bits: multiplying by 2 or 4 is exact. */

extern "C" __global__ void produce(float *between, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) between[i] = 2.0f * between[i] + (float)(i % 7);
}

extern "C" __global__ void consume(float *result, const float *between, int count, float shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) result[i] = 4.0f * between[i] - shift;
}
