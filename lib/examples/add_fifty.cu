// Doubles, halves and adds one, fifty times; one block of any size processes the whole array. Whole numbers below 2^24
// become exactly 50 larger, so the check finds an array for which the kernel did not run, or ran twice.
extern "C" __global__ void add_fifty(float *array, int length)
{
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        for (int k = 0; k < 50; k++) {
            array[i] *= 2.0f;
            array[i] /= 2.0f;
            array[i] += 1.0f;
        }
}
