// refused: refuses_green_contexts.cu:7:38: error: cudaDevAttrLocalityDomainCount: green contexts and locality domains
#include <cuda_runtime.h>

int main()
{
    int domains = 0;
    cudaDeviceGetAttribute(&domains, cudaDevAttrLocalityDomainCount, 0);
    cudaDevResource whole = {};
    cudaDevResourceDesc_t description = nullptr;
    cudaDeviceGetDevResource(0, &whole, cudaDevResourceTypeSm);
    cudaDevResourceGenerateDesc(&description, &whole, 1);
    cudaExecutionContext_t context;
    cudaGreenCtxCreate(&context, description, 0, 0);
    cudaMemPoolProps properties = {};
    properties.location.type = cudaMemLocationTypeDeviceLocalityDomain;
    return properties.location.localized.localityDomainId;
}
