/* Task 0: thread t of block b writes 1000 b + t, so that each number says which thread wrote it. */
extern "C" __global__ void label(int *numbers, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) numbers[i] = 1000 * blockIdx.x + threadIdx.x;
}

/* Tasks 1 to 4: work that takes a while. */
extern "C" __global__ void work(float *x, int count, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float value = x[i];
    for (int step = 0; step < steps; step++) value = 3.7f * value * (1.0f - value);
    x[i] = value;
}
