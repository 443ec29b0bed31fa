// Thread t of block b writes 1000 b + t, so that each number says which thread wrote it.
extern "C" __global__ void label(int *numbers, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] = 1000 * blockIdx.x + threadIdx.x;
}
