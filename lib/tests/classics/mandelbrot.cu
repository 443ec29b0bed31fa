// The number of steps of z = z * z + c after which each point c of a raster leaves the circle of radius 2, at most `limit`.
extern "C" __global__ void mandelbrot(int *steps, int width, int height, double left, double top, double pitch, int limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height) return;
    double c_real = left + column * pitch, c_imaginary = top - row * pitch, real = 0, imaginary = 0;
    int step = 0;
    while (step < limit && real * real + imaginary * imaginary <= 4) {
        double next = real * real - imaginary * imaginary + c_real;
        imaginary = 2 * real * imaginary + c_imaginary;
        real = next;
        step++;
    }
    steps[row * width + column] = step;
}
