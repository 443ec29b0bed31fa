// options: -lcuda
// The driver's arrays, textures and surfaces, in kernels that the program launches itself.
#include <cstdio>
#include <cuda.h>

__global__ void look(CUtexObject numbers, CUtexObject integers, float *out)
{
    out[0] = tex2D<float>(numbers, 1.5f, 0.5f);
    out[1] = tex2D<float>(numbers, -3.0f, 5.0f);
    out[2] = tex1Dfetch<int>(integers, 3);
    out[3] = tex1Dfetch<int>(integers, 4);
}

__global__ void mark(CUsurfObject picture)
{
    surf2Dwrite<unsigned char>(51, picture, 1, 0);
}

int main()
{
    CUarray array;
    CUdeviceptr memory;
    CUtexObject numbers, integers;
    CUsurfObject picture;
    const unsigned char texels[2][2] = {{0, 255}, {102, 204}};
    const int values[4] = {10, 20, 30, 40};
    float *out;
    cudaMallocManaged(&out, 4 * sizeof *out);

    const CUDA_ARRAY3D_DESCRIPTOR of = {2, 2, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
    cuArray3DCreate(&array, &of);
    CUDA_MEMCPY2D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = array;
    copy.WidthInBytes = copy.Height = 2;
    cuMemcpy2D(&copy);

    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC how = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    for (CUaddress_mode &mode : how.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    cuTexObjectCreate(&numbers, &resource, &how, nullptr);
    cuSurfObjectCreate(&picture, &resource);

    cuMemAlloc(&memory, sizeof values);
    cuMemcpyHtoD(memory, values, sizeof values);
    resource = {};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = sizeof values;
    cuTexObjectCreate(&integers, &resource, &how, nullptr);

    look<<<1, 1>>>(numbers, integers, out);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
    mark<<<1, 1>>>(picture);
    look<<<1, 1>>>(numbers, integers, out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[1]);
    printf("%d %d %d\n", cuTexObjectDestroy(numbers), cuTexObjectDestroy(integers), cuSurfObjectDestroy(picture));
    cuArrayDestroy(array);
    cuMemFree(memory);
    cudaFree(out);
}
