// Streams: two queues, each with a copy in, a sum and a copy out. The host enqueues both before it waits for either.
#include "check.h"

const int COUNT = 2048;

// The sum of all numbers by one block.
__global__ void add_up(int *sum, const int *numbers, int count)
{
    __shared__ int total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) atomicAdd(&total, numbers[i]);
    __syncthreads();
    if (threadIdx.x == 0) *sum = total;
}

int main()
{
    cudaStream_t stream[2];
    int *input[2], *numbers[2], *sum[2], *answer;
    CHECK(cudaMallocHost(&answer, 2 * sizeof *answer));
    for (int k = 0; k < 2; k++) {
        // A non-blocking stream does not wait for the null stream, nor the null stream for it.
        CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        CHECK(cudaMallocHost(&input[k], COUNT * sizeof(int)));
        CHECK(cudaMalloc(&numbers[k], COUNT * sizeof(int)));
        CHECK(cudaMalloc(&sum[k], sizeof(int)));
        for (int i = 0; i < COUNT; i++) input[k][i] = i + k;
    }

    for (int k = 0; k < 2; k++) {
        CHECK(cudaMemcpyAsync(numbers[k], input[k], COUNT * sizeof(int), cudaMemcpyHostToDevice, stream[k]));
#ifdef MISTAKE
        // A launch that names no stream is on the null stream.
        add_up<<<1, 128>>>(sum[k], numbers[k], COUNT);
#else
        add_up<<<1, 128, 0, stream[k]>>>(sum[k], numbers[k], COUNT);
#endif
        CHECK(cudaMemcpyAsync(&answer[k], sum[k], sizeof(int), cudaMemcpyDeviceToHost, stream[k]));
    }

    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamSynchronize(stream[k]));
        std::printf("sum %d: %d\n", k, answer[k]);
        CHECK(cudaStreamDestroy(stream[k]));
        CHECK(cudaFreeHost(input[k]));
        CHECK(cudaFree(numbers[k]));
        CHECK(cudaFree(sum[k]));
    }
    CHECK(cudaFreeHost(answer));
    return 0;
}
