/* Devices of the runtime: their properties and attributes, the current one, waiting, peers, settings. */
#include "cudart.h"

#include "objects/contexts/context_lifetime.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { VERSION = 13000, MOST_DEVICES = BACKEND_MOST_DEVICES };

/* ---- properties ---- */

/* What the CPU device has where lab.h says nothing: the language of compute capability 7.0, whose limits it takes. */
static const struct cudaDeviceProp cpu_properties = {
    .regsPerBlock = 65536,
    .warpSize = 32,
    .memPitch = 2147483647,
    .maxThreadsDim = {1024, 1024, 64},
    .maxGridSize = {2147483647, 65535, 65535},
    .clockRate = 1000000,
    .totalConstMem = 65536,
    .major = 7,
    .textureAlignment = TEXTURE_ALIGNMENT,
    .texturePitchAlignment = TEXTURE_PITCH,
    .deviceOverlap = 1,
    .canMapHostMemory = 1,
    .surfaceAlignment = MEMORY_PITCH,
    .concurrentKernels = 1,
    .unifiedAddressing = 1,
    .memoryClockRate = 1000000,
    .memoryBusWidth = 64,
    .l2CacheSize = 1 << 20,
    .maxThreadsPerMultiProcessor = 2048,
    .streamPrioritiesSupported = 1,
    .globalL1CacheSupported = 1,
    .localL1CacheSupported = 1,
    .regsPerMultiprocessor = 65536,
    .managedMemory = 1,
    .singleToDoublePrecisionPerfRatio = 2,
    .concurrentManagedAccess = 1,
    .canUseHostPointerForRegisteredMem = 1,
    .cooperativeLaunch = 1,
    .maxBlocksPerMultiProcessor = 32,
    .hostRegisterSupported = 1,
    .memoryPoolsSupported = 1,
    .maxTexture1D = 131072,
    .maxTexture1DLinear = 1 << 28,
    .maxTexture2D = {131072, 65536},
    .maxTexture2DLinear = {131072, 65000, 2097120},
    .maxTexture3D = {16384, 16384, 16384},
    .maxTexture1DLayered = {32768, 2048},
    .maxTexture2DLayered = {32768, 32768, 2048},
    .maxSurface1D = 32768,
    .maxSurface2D = {131072, 65536},
    .maxSurface3D = {16384, 16384, 16384},
    .maxSurface1DLayered = {32768, 2048},
    .maxSurface2DLayered = {32768, 32768, 2048},
};

static lab_status read_properties(struct cudaDeviceProp *properties, int device)
{
    lab_device_info info;
    LAB_TRY(lab_device_get_info(&info, device));
    *properties = cpu_properties;
    properties->pciBusID = device;
    properties->sharedMemPerBlockOptin = properties->sharedMemPerMultiprocessor = info.max_shared_bytes;
    memcpy(properties->uuid.bytes, info.uuid, sizeof info.uuid);
    if (strcmp(info.kind, "cuda") == 0) cudart_gpu_properties(properties);
    snprintf(properties->name, sizeof properties->name, "%s", info.name);
    properties->totalGlobalMem = info.total_memory;
    properties->sharedMemPerBlock = info.max_shared_bytes;
    properties->maxThreadsPerBlock = info.max_block_threads;
    properties->multiProcessorCount = info.multiprocessors;
    properties->asyncEngineCount = info.copy_engines;
    return LAB_SUCCESS;
}

/* They do not change, and a launch asks for them: each device is asked once. */
static struct cudaDeviceProp known[MOST_DEVICES];
static atomic_bool is_known[MOST_DEVICES];
static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;

lab_status cudart_device_properties(struct cudaDeviceProp *properties, int device)
{
    struct cudaDeviceProp found;
    if (device < 0 || device >= MOST_DEVICES || !atomic_load_explicit(&is_known[device], memory_order_acquire)) {
        LAB_TRY(read_properties(&found, device));
        pthread_mutex_lock(&known_lock);
        if (!is_known[device]) known[device] = found;
        atomic_store(&is_known[device], true);
        pthread_mutex_unlock(&known_lock);
    }
    *properties = known[device];
    return LAB_SUCCESS;
}

bool cudart_device_attribute(int *value, const struct cudaDeviceProp *properties, int number)
{
    switch (number) {
#define ATTRIBUTE(runtime, driver, code, member)                                                                       \
    case code: *value = (int)properties->member; return true;
        LAB_CUDA_ATTRIBUTE_TABLE(ATTRIBUTE)
#undef ATTRIBUTE
    }
    return false;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    CUDART_OPEN;
    if (!properties) return cudart_fail(cudaErrorInvalidValue, "cudaGetDeviceProperties: properties is NULL");
    return cudart_end(cudart_device_properties(properties, device));
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    CUDART_OPEN;
    struct cudaDeviceProp properties;
    if (!value) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute: value is NULL");
    const lab_status status = cudart_device_properties(&properties, device);
    if (status != LAB_SUCCESS) return cudart_end(status);
    if (cudart_device_attribute(value, &properties, (int)attribute)) return cudaSuccess;
    return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetAttribute: there is no attribute %d here", (int)attribute);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int bytes, int device)
{
    CUDART_BEGIN;
    lab_device_info info;
    if (!id || bytes < 13) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetPCIBusId: needs room for 13 bytes");
    const lab_status status = lab_device_get_info(&info, device);
    if (status == LAB_SUCCESS) snprintf(id, (size_t)bytes, "%s", info.pci_bus_id);
    return cudart_end(status);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    CUDART_BEGIN;
    return cudart_end(lab_device_by_pci_bus_id(device, id));
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted)
{
    CUDART_BEGIN;
    if (!device || !wanted) return cudart_fail(cudaErrorInvalidValue, "cudaChooseDevice: an argument is NULL");
    *device = 0;
    return cudaSuccess;
}

/* ---- the current device ---- */

cudaError_t cudaGetDeviceCount(int *count)
{
    CUDART_OPEN;
    return cudart_end(lab_device_count(count));
}

cudaError_t cudaGetDevice(int *device)
{
    CUDART_OPEN;
    return cudart_end(lab_device_current(device));
}

cudaError_t cudaSetDevice(int device)
{
    CUDART_OPEN;
    return cudart_end(lab_device_use(device));
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags)
{
    CUDART_BEGIN;
    (void)device_flags, (void)flags;
    lab_device_info info;
    return cudart_end(lab_device_get_info(&info, device));
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    CUDART_BEGIN;
    lab_device_info info;
    for (int i = 0; i < count; i++) {
        const lab_status status = lab_device_get_info(&info, devices[i]);
        if (status != LAB_SUCCESS) return cudart_end(status);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void)
{
    CUDART_BEGIN;
    return cudart_end(lab_device_synchronize());
}

cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    CUDART_BEGIN;
    int unused;
    return cudart_end(lab_stream_priority_range(least ? least : &unused, greatest ? greatest : &unused));
}

cudaError_t cudaDriverGetVersion(int *version)
{
    if (!version) return cudart_fail(cudaErrorInvalidValue, "cudaDriverGetVersion: version is NULL");
    *version = VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    if (!version) return cudart_fail(cudaErrorInvalidValue, "cudaRuntimeGetVersion: version is NULL");
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaProfilerStart(void)
{
    CUDART_BEGIN;
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    CUDART_BEGIN;
    return cudaSuccess;
}

/* ---- peers ---- */

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDART_BEGIN;
    bool found = false;
    const lab_status status = lab_device_can_access_peer(can ? &found : NULL, device, peer);
    if (can) *can = found;
    return cudart_end(status);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device, int peer)
{
    int can = 0;
    if (!value || attribute < cudaDevP2PAttrPerformanceRank || attribute > cudaDevP2PAttrCudaArrayAccessSupported)
        return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetP2PAttribute: value is NULL, or an unknown attribute");
    if (device == peer)
        return cudart_fail(cudaErrorInvalidDevice, "cudaDeviceGetP2PAttribute: device %d is no peer of its own",
                           device);
    const cudaError_t failed = cudaDeviceCanAccessPeer(&can, device, peer);
    if (failed == cudaSuccess) *value = attribute == cudaDevP2PAttrAccessSupported ? can : 0;
    return failed;
}

/* Peers are primary contexts. */
static lab_status use_peer(int peer, lab_status (*use)(lab_context *peer))
{
    lab_context *context;
    LAB_TRY(lab_context_primary_retain(&context, peer));
    return use(context); /* stays retained: it is the runtime's, and ends with the process */
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    CUDART_BEGIN;
    int current;
    if (flags) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceEnablePeerAccess: flags must be 0");
    const lab_status status = lab_device_current(&current);
    if (status != LAB_SUCCESS) return cudart_end(status);
    if (peer == current)
        return cudart_fail(cudaErrorPeerAccessUnsupported, "cudaDeviceEnablePeerAccess: the peer is the device itself");
    return cudart_end(use_peer(peer, lab_context_enable_peer_access));
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    CUDART_BEGIN;
    return cudart_end(use_peer(peer, lab_context_disable_peer_access));
}

/* ---- settings, which are kept and have no effect ---- */

enum { LIMITS = cudaLimitPersistingL2CacheSize + 1 };
static _Atomic size_t limits[LIMITS] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
static _Atomic int cache_config, bank_config;
static _Atomic unsigned device_flags;

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
    CUDART_BEGIN;
    if (!value) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetLimit: value is NULL");
    if ((unsigned)limit >= LIMITS) return cudart_fail(cudaErrorInvalidValue, "there is no limit %d", (int)limit);
    *value = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    CUDART_BEGIN;
    if ((unsigned)limit >= LIMITS) return cudart_fail(cudaErrorInvalidValue, "there is no limit %d", (int)limit);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
    CUDART_BEGIN;
    if (!config) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetCacheConfig: config is NULL");
    *config = (enum cudaFuncCache)cache_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
    CUDART_BEGIN;
    cache_config = (int)config;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
    CUDART_BEGIN;
    if (!config) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetSharedMemConfig: config is NULL");
    *config = (enum cudaSharedMemConfig)bank_config;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    CUDART_BEGIN;
    bank_config = (int)config;
    return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int flags)
{
    CUDART_BEGIN;
    if (flags & ~(unsigned)(cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax))
        return cudart_fail(cudaErrorInvalidValue, "cudaSetDeviceFlags: unknown flags 0x%x", flags);
    device_flags = flags;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags)
{
    CUDART_BEGIN;
    if (!flags) return cudart_fail(cudaErrorInvalidValue, "cudaGetDeviceFlags: flags is NULL");
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    CUDART_BEGIN;
    return cudaSuccess;
}
