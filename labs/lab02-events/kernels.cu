/* Multiplying by 2 or 4 is exact, so each result is rounded once: the host gets the same bits. */

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
