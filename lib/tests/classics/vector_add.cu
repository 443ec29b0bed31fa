// c = a + b, by a grid of any size: each thread takes every gridDim.x * blockDim.x-th element.
extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = a[i] + b[i];
}
