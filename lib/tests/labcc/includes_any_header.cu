// The headers that editors and older programs name, in an order of their own. Most have nothing to add, and those of
// texture references are no longer in CUDA 13.
#include <crt/host_defines.h>
#include <texture_fetch_functions.h>
#include <sm_35_intrinsics.h>

#include <channel_descriptor.h>
#include <common_functions.h>
#include <crt/common_functions.h>
#include <crt/device_functions.h>
#include <crt/host_config.h>
#include <crt/math_functions.h>
#include <cuComplex.h>
#include <cuda_surface_types.h>
#include <cuda_texture_types.h>
#include <device_atomic_functions.h>
#include <device_double_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <driver_functions.h>
#include <library_types.h>
#include <math_functions.h>
#include <nvToolsExt.h>
#include <nvToolsExtCuda.h>
#include <nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <surface_functions.h>
#include <surface_indirect_functions.h>
#include <surface_types.h>
#include <texture_indirect_functions.h>
#include <vector_functions.h>

#include <cstdio>

__global__ void add(int *x) { atomicAdd(x, __popc(CUDA_R_64F)); }

int main()
{
    int *x;
    cudaStream_t stream;
    cudaMallocManaged(&x, sizeof *x);
    cudaStreamCreate(&stream);
    nvtxNameCudaStream(stream, "adds");
    const nvtxDomainHandle_t domain = nvtxDomainCreate("a domain");
    nvtxEventAttributes_t attributes = {};
    nvtxDomainRangePushEx(domain, &attributes);
    add<<<1, 32, 0, stream>>>(x);
    cudaStreamSynchronize(stream);
    nvtxDomainRangePop(domain);
    printf("%d\n", *x);
    cudaStreamDestroy(stream);
    cudaFree(x);
}
