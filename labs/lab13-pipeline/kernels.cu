/* The kernels of lab 13. All numbers are integers, so the host gets the same bits. A picture has a
 * byte for each pixel, row after row. A pixel beyond the picture's border counts as the nearest one
 * in it. */

static __device__ int pixel_at(const unsigned char *from, int x, int y, int width, int height)
{
    int column = x < 0 ? 0 : x < width ? x : width - 1;
    int row = y < 0 ? 0 : y < height ? y : height - 1;
    return from[row * width + column];
}

/* Each pixel becomes the mean of the 5 x 5 pixels around it, with the weights 1 4 6 4 1. */
extern "C" __global__ void blur(unsigned char *to, const unsigned char *from, int width, int count)
{
    const int weight[5] = {1, 4, 6, 4, 1};
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 128;
    if (i >= count) return;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            sum += weight[dy + 2] * weight[dx + 2] *
                   pixel_at(from, i % width + dx, i / width + dy, width, count / width);
    to[i] = sum / 256;
}

/* How steep the picture is at each pixel: Sobel's two sums, without their signs, at most 255. */
extern "C" __global__ void edge(unsigned char *to, const unsigned char *from, int width, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, across = 0, down = 0;
    if (i >= count) return;
    for (int d = -1; d <= 1; d++) {
        int weight = d == 0 ? 2 : 1, x = i % width, y = i / width, height = count / width;
        across += weight * (pixel_at(from, x + 1, y + d, width, height) -
                            pixel_at(from, x - 1, y + d, width, height));
        down += weight * (pixel_at(from, x + d, y + 1, width, height) -
                          pixel_at(from, x + d, y - 1, width, height));
    }
    int steep = (across < 0 ? -across : across) + (down < 0 ? -down : down);
    to[i] = steep < 255 ? steep : 255;
}

/* Adds to counts[v] how many pixels are v. A block counts its share by itself, in shared memory,
 * with a thread for each of the 256 counts. */
extern "C" __global__ void histogram(unsigned *counts, const unsigned char *from, int count)
{
    __shared__ unsigned part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&part[from[i]], 1u);
    __syncthreads();
    if (part[threadIdx.x]) atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
