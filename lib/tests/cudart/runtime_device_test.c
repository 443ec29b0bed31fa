/* The runtime's devices: properties, attributes, settings. */
#include "kit.h"

Test(runtime_device, attributes_are_the_properties)
{
    struct cudaDeviceProp of;
    int value, least, greatest;
    MUST(cudaGetDeviceProperties(&of, 0));
    cr_assert(*of.name && of.totalGlobalMem > 0 && of.multiProcessorCount > 0 && of.warpSize == 32 && of.major > 0);
#define SAME(runtime, driver, number, member)                                                                          \
    MUST(cudaDeviceGetAttribute(&value, cudaDevAttr##runtime, 0));                                                     \
    cr_assert_eq(value, (int)of.member, #runtime);
    LAB_CUDA_ATTRIBUTE_TABLE(SAME)
#undef SAME
    MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    cr_assert_leq(greatest, least);
}

Test(runtime_device, a_device_is_found_again_by_its_place)
{
    char id[32];
    int device = -1;
    MUST(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    MUST(cudaDeviceGetByPCIBusId(&device, id));
    cr_assert_eq(device, 0);
}

Test(runtime_device, settings_are_kept)
{
    size_t value;
    unsigned flags;
    MUST(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
    MUST(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
    cr_assert_eq(value, 1 << 24);
    MUST(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    MUST(cudaGetDeviceFlags(&flags));
    cr_assert(flags & cudaDeviceScheduleBlockingSync);
}

Test(runtime_device, a_reset_ends_what_was_made_and_the_device_works_again)
{
    void *memory;
    MUST(cudaMalloc(&memory, 16));
    MUST(cudaDeviceReset());
    cr_assert_eq(cudaFree(memory), cudaErrorInvalidValue);
    MUST(cudaMalloc(&memory, 16));
}

Test(runtime_device, a_device_is_no_peer_of_its_own_and_peers_have_attributes)
{
    int count, value = -1;
    cr_assert_eq(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
    cr_assert_eq(cudaDeviceGetP2PAttribute(NULL, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidValue);
    MUST(cudaGetDeviceCount(&count));
    if (count < 2) return;
    MUST(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    cr_assert_eq(value, 1);
    MUST(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    cr_assert_eq(value, 0);
}

Test(runtime_device, attributes_of_a_stream_are_checked)
{
    cudaStream_t stream;
    cudaStreamAttrValue window = {.accessPolicyWindow = {.hitRatio = 0.5f, .hitProp = cudaAccessPropertyPersisting}};
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window));
    window.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
    cr_assert_eq(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &window), cudaErrorInvalidValue);
    cr_assert_eq(cudaStreamSetAttribute(stream, cudaStreamAttributePriority, &window), cudaErrorNotSupported);
    MUST(cudaCtxResetPersistingL2Cache());
    MUST(cudaStreamDestroy(stream));
}
