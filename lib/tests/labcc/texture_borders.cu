// A border that has a value, coordinates that are no place, and weights of 0. The lines are those of an H200.
#include <cmath>
#include <cstdio>
#include <vector>

__global__ void fetch(cudaTextureObject_t texture, const float *at, unsigned *to)
{
    to[threadIdx.x] = tex1D<unsigned>(texture, at[threadIdx.x]);
}

// Fetches from one row of texels, as a float's bits or an integer.
template <class T>
static void run(const char *name, std::vector<T> texels, bool linear, bool number, cudaTextureAddressMode mode,
                float border, std::vector<float> at)
{
    cudaArray_t array;
    cudaTextureObject_t texture;
    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    const size_t bytes = at.size() * sizeof(float);
    std::vector<unsigned> got(at.size());
    float *places;
    unsigned *to;
    cudaMallocArray(&array, &format, texels.size(), 0);
    cudaMemcpy2DToArray(array, 0, 0, texels.data(), texels.size() * sizeof(T), texels.size() * sizeof(T), 1,
                        cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (auto &each : description.addressMode) each = mode;
    for (auto &each : description.borderColor) each = border;
    description.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    description.readMode = number ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    cudaMalloc(&places, bytes);
    cudaMalloc(&to, bytes);
    cudaMemcpy(places, at.data(), bytes, cudaMemcpyHostToDevice);
    fetch<<<1, (unsigned)at.size()>>>(texture, places, to);
    cudaMemcpy(got.data(), to, bytes, cudaMemcpyDeviceToHost);
    printf("%s:", name);
    for (unsigned word : got) printf(" %08x", word);
    printf("\n");
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(places);
    cudaFree(to);
}

int main()
{
    const std::vector<float> floats(4, 2), at = {-5, 0, 4, NAN, INFINITY};
    const std::vector<unsigned char> bytes(4, 100);
    run("float point", floats, false, false, cudaAddressModeBorder, 0.75f, at);
    run("float linear", floats, true, false, cudaAddressModeBorder, 0.75f, at);
    run("uchar number linear", bytes, true, true, cudaAddressModeBorder, 0.75f, at);
    run("uchar element point", bytes, false, false, cudaAddressModeBorder, 0.75f, at);
    run("uchar number point", bytes, false, true, cudaAddressModeBorder, 3, at);
    run<float>("0 times infinity", {INFINITY, 1, INFINITY, INFINITY}, true, false, cudaAddressModeClamp, 0, {1.5f});
}
