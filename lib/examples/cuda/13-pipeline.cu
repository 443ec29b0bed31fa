// A pipeline: pictures are blurred and counted on three lanes, each a stream with a graph and memory of its own.
#include "check.h"

const int WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT, PICTURES = 9, LANES = 3, LEVELS = 16;

__global__ void blur(unsigned char *to, const unsigned char *from, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
#ifdef MISTAKE
    int below = y + 1; // the last row has none
#else
    int below = y + 1 < height ? y + 1 : y;
#endif
    to[y * width + x] = (from[y * width + x] + from[below * width + x]) / 2;
}

// Counts in shared memory first: one atomic addition a level and block in global memory.
__global__ void count_levels(unsigned *histogram, const unsigned char *picture, int pixels)
{
    __shared__ unsigned mine[LEVELS];
    if (threadIdx.x < LEVELS) mine[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < pixels; i += gridDim.x * blockDim.x)
        atomicAdd(&mine[picture[i] * LEVELS / 256], 1);
    __syncthreads();
    if (threadIdx.x < LEVELS) atomicAdd(&histogram[threadIdx.x], mine[threadIdx.x]);
}

struct lane {
    cudaStream_t stream;
    cudaGraphExec_t graph;
    unsigned char *picture, *blurred;
    unsigned *histogram;
};

static void open(lane &own)
{
    const dim3 block(16, 8), grid((WIDTH + 15) / 16, (HEIGHT + 7) / 8);
    cudaGraph_t graph;
    CHECK(cudaStreamCreateWithFlags(&own.stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&own.picture, PIXELS));
    CHECK(cudaMalloc(&own.blurred, PIXELS));
    CHECK(cudaMalloc(&own.histogram, LEVELS * sizeof(unsigned)));
    CHECK(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(own.histogram, 0, LEVELS * sizeof(unsigned), own.stream));
    blur<<<grid, block, 0, own.stream>>>(own.blurred, own.picture, WIDTH, HEIGHT);
    count_levels<<<2, 64, 0, own.stream>>>(own.histogram, own.blurred, PIXELS);
    CHECK(cudaStreamEndCapture(own.stream, &graph));
    CHECK(cudaGraphInstantiate(&own.graph, graph, 0));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    lane lanes[LANES];
    unsigned char *picture;
    unsigned *histogram;
    CHECK(cudaMallocHost(&picture, PICTURES * PIXELS));
    CHECK(cudaMallocHost(&histogram, PICTURES * LEVELS * sizeof(unsigned)));
    for (int i = 0; i < PICTURES * PIXELS; i++) picture[i] = (unsigned char)((i * 7 + i / 100) % 256);
    for (lane &each : lanes) open(each);

    for (int k = 0; k < PICTURES; k++) {
        const lane &own = lanes[k % LANES];
        CHECK(cudaMemcpyAsync(own.picture, picture + k * PIXELS, PIXELS, cudaMemcpyHostToDevice, own.stream));
        CHECK(cudaGraphLaunch(own.graph, own.stream));
        CHECK(cudaMemcpyAsync(histogram + k * LEVELS, own.histogram, LEVELS * sizeof(unsigned), cudaMemcpyDeviceToHost,
                              own.stream));
    }
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < PICTURES; k++) {
        unsigned pixels = 0;
        for (int level = 0; level < LEVELS; level++) pixels += histogram[k * LEVELS + level];
        std::printf("picture %d: %u pixels, %u of level 0, %u of level 9\n", k, pixels, histogram[k * LEVELS],
                    histogram[k * LEVELS + 9]);
    }
    return 0;
}
