// What a kernel reads through a texture counts as an access to the memory behind it: a CUDA array that another stream
// copies to, and linear memory that was freed. The end of another texture is no wait.
// run LAB_ORDER=report: kernel sample (finds_texture_order.cu:57) reads device memory that copy htod (finds_texture_order.cu:55)
// run LAB_ORDER=report: LAB_ORDER: 1 finding in
// run LAB_MEMCHECK=1: finds_texture_order.cu:16: reads 4 bytes
// run LAB_MEMCHECK=1: the 256 bytes allocated at finds_texture_order.cu:63, which were freed at finds_texture_order.cu:66
#include <cstdio>

__global__ void sample(cudaTextureObject_t texture, float *y)
{
    y[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
}

__global__ void number(cudaTextureObject_t texture, float *y)
{
    y[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    return texture;
}

static cudaTextureObject_t texture_of(float *memory, size_t bytes)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {memory, cudaCreateChannelDesc<float>(), bytes};
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    return texture;
}

int main()
{
    const int n = 64;
    float *host, *y, *x, sum = 0;
    cudaStream_t one, two;
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaMallocHost(&host, n * sizeof *host);
    cudaMalloc(&y, n * sizeof *y);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMallocArray(&array, &format, n, 1);
    const cudaTextureObject_t sampled = texture_of(array), unused = texture_of(array);
    cudaMemcpy2DToArrayAsync(array, 0, 0, host, n * sizeof *host, n * sizeof *host, 1, cudaMemcpyHostToDevice, one);
    cudaDestroyTextureObject(unused);
    sample<<<1, n, 0, two>>>(sampled, y);
    cudaDeviceSynchronize();
    cudaMemcpy(host, y, n * sizeof *y, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sum += host[i];
    printf("sum %g, ", sum);

    cudaMalloc(&x, n * sizeof *x);
    cudaMemset(x, 0, n * sizeof *x);
    const cudaTextureObject_t numbered = texture_of(x, n * sizeof *x);
    cudaFree(x);
    number<<<1, n>>>(numbered, y);
    printf("end: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
