// Doubles, halves and adds one, fifty times: one block of any size goes over the whole array. Whole numbers below 2^24
// come out exactly 50 larger, so that an array for which the kernel did not run, or ran twice, is seen.
extern "C" __global__ void add_fifty(float *array, int length)
{
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        for (int k = 0; k < 50; k++) {
            array[i] *= 2.0f;
            array[i] /= 2.0f;
            array[i] += 1.0f;
        }
}
