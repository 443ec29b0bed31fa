// 200 arrays: one after another, on 16 streams, and on streams with a pair of events around each kernel.
#include "check.h"

const int ARRAYS = 200, LENGTH = 256, STREAMS = 16;
const size_t BYTES = LENGTH * sizeof(int);

__global__ void advance(int *x, int length, int steps)
{
    for (int i = threadIdx.x; i < length; i += blockDim.x)
        for (int step = 0; step < steps; step++) x[i] = (5 * x[i] + 3) % 1021;
}

static int *input, *output, *on_device[ARRAYS];
static cudaStream_t stream[STREAMS];

static void report(const char *name)
{
    long long sum = 0;
    for (int i = 0; i < ARRAYS * LENGTH; i++) sum += (long long)(i % 7 + 1) * output[i];
    for (int i = 0; i < ARRAYS * LENGTH; i++) output[i] = -1;
    std::printf("%s: %lld\n", name, sum);
}

// Copies, kernel and copies back of array k on one stream; events around the kernel unless they are NULL.
static void enqueue(int k, cudaStream_t on, cudaEvent_t start, cudaEvent_t end)
{
    CHECK(cudaMemcpyAsync(on_device[k], input + k * LENGTH, BYTES, cudaMemcpyHostToDevice, on));
    if (start) CHECK(cudaEventRecord(start, on));
    advance<<<1, 64, 0, on>>>(on_device[k], LENGTH, k % 5 + 1);
    if (end) CHECK(cudaEventRecord(end, on));
#ifdef MISTAKE
    // One copy of 200 is on its neighbour's stream.
    if (k == 101) on = stream[(k + 1) % STREAMS];
#endif
    CHECK(cudaMemcpyAsync(output + k * LENGTH, on_device[k], BYTES, cudaMemcpyDeviceToHost, on));
}

int main()
{
    cudaEvent_t start[ARRAYS], end[ARRAYS];
    CHECK(cudaMallocHost(&input, ARRAYS * BYTES));
    CHECK(cudaMallocHost(&output, ARRAYS * BYTES));
    for (int i = 0; i < ARRAYS * LENGTH; i++) input[i] = i % 1000;
    for (int k = 0; k < ARRAYS; k++) {
        CHECK(cudaMalloc(&on_device[k], BYTES));
        CHECK(cudaEventCreate(&start[k]));
        CHECK(cudaEventCreate(&end[k]));
    }
    for (int s = 0; s < STREAMS; s++) CHECK(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));

    for (int k = 0; k < ARRAYS; k++) {
        CHECK(cudaMemcpy(on_device[k], input + k * LENGTH, BYTES, cudaMemcpyHostToDevice));
        advance<<<1, 64>>>(on_device[k], LENGTH, k % 5 + 1);
        CHECK(cudaMemcpy(output + k * LENGTH, on_device[k], BYTES, cudaMemcpyDeviceToHost));
    }
    report("serial");

    for (int k = 0; k < ARRAYS; k++) enqueue(k, stream[k % STREAMS], NULL, NULL);
    CHECK(cudaDeviceSynchronize());
    report("streams");

    for (int k = 0; k < ARRAYS; k++) enqueue(k, stream[k % STREAMS], start[k], end[k]);
    CHECK(cudaDeviceSynchronize());
    int measured = 0;
    for (int k = 0; k < ARRAYS; k++) {
        float milliseconds;
        CHECK(cudaEventElapsedTime(&milliseconds, start[k], end[k]));
        measured += milliseconds >= 0;
    }
    report("streams with events");
    std::printf("kernels measured: %d\n", measured);
    return 0;
}
