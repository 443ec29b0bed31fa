// A copy on one stream, a kernel on another that does not wait for it.
// run LAB_ORDER=report: kernel add (finds_missing_order.cu:27) writes device memory that copy htod (finds_missing_order.cu:26)
// run LAB_ORDER=report: LAB_ORDER: 1 finding in 3 operations
// run LAB_SCHEDULE=adversarial:1: the result is wrong
#include <cstdio>

__global__ void add(float *x, float y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += y;
}

int main()
{
    const int n = 1 << 16;
    float *host, *device;
    cudaStream_t one, two;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMallocHost(&host, n * sizeof *host);
    cudaMalloc(&device, n * sizeof *device);
    for (int i = 0; i < n; i++) host[i] = 1;

    // The kernel may begin before the copy.

    cudaMemcpyAsync(device, host, n * sizeof *host, cudaMemcpyHostToDevice, one);
    add<<<n / 256, 256, 0, two>>>(device, 2, n);
    cudaDeviceSynchronize();
    cudaMemcpy(host, device, n * sizeof *host, cudaMemcpyDeviceToHost);
    puts(host[1] == 3 ? "the result is right" : "the result is wrong");
}
