/* The kernel of lab 03. */

/* Advances every element of x by `steps` steps of the logistic map, x <- rate * x * (1 - x). The
 * map is chaotic: one step more or less changes every digit. Works for any grid and block. */
extern "C" __global__ void advance(float *x, int length, float rate, int steps)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
        float value = x[i];
        for (int step = 0; step < steps; step++) value = rate * value * (1.0f - value);
        x[i] = value;
    }
}
