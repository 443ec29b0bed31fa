/* Work that takes a while. */
extern "C" __global__ void work(float *x, int count, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = x[i];
    for (int step = 0; step < steps; step++) value = 3.7f * value * (1.0f - value);
    x[i] = value;
}
