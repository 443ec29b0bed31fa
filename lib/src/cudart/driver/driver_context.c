/* The driver's initialisation, devices and contexts. */
#include "cudart/cudart.h"

#include "objects/contexts/context_lifetime.h"
#include "objects/contexts/context_stack.h"

#include <stdio.h>
#include <string.h>

CUresult cuInit(unsigned int flags)
{
    if (flags) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuInit: flags must be 0");
    return cudart_driver_initialise();
}

CUresult cuDriverGetVersion(int *version)
{
    return version ? (CUresult)cudaDriverGetVersion(version) : CUDA_ERROR_INVALID_VALUE;
}

/* ---- devices ---- */

CUresult cuDeviceGetCount(int *count)
{
    DRIVER_BEGIN(false);
    return cudart_driver_end(lab_device_count(count));
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    DRIVER_BEGIN(false);
    lab_device_info info;
    if (!device) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGet: device is NULL");
    const lab_status status = lab_device_get_info(&info, ordinal);
    if (status == LAB_SUCCESS) *device = ordinal;
    return cudart_driver_end(status);
}

static CUresult properties_of(struct cudaDeviceProp *properties, CUdevice device, const void *out, const char *call)
{
    DRIVER_BEGIN(false);
    if (!out) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "%s: the place for the result is NULL", call);
    return cudart_driver_end(cudart_device_properties(properties, device));
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    struct cudaDeviceProp of;
    const CUresult failed = properties_of(&of, device, bytes > 0 ? name : NULL, "cuDeviceGetName");
    if (failed == CUDA_SUCCESS) snprintf(name, (size_t)bytes, "%s", of.name);
    return failed;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    struct cudaDeviceProp of;
    const CUresult failed = properties_of(&of, device, uuid, "cuDeviceGetUuid");
    if (failed == CUDA_SUCCESS) *uuid = of.uuid;
    return failed;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device)
{
    struct cudaDeviceProp of;
    const CUresult failed = properties_of(&of, device, bytes, "cuDeviceTotalMem");
    if (failed == CUDA_SUCCESS) *bytes = of.totalGlobalMem;
    return failed;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    struct cudaDeviceProp of;
    const CUresult failed = properties_of(&of, device, value, "cuDeviceGetAttribute");
    if (failed != CUDA_SUCCESS || cudart_device_attribute(value, &of, (int)attribute)) return failed;
    return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuDeviceGetAttribute: there is no attribute %d here",
                              (int)attribute);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    struct cudaDeviceProp of;
    const CUresult failed = properties_of(&of, device, major && minor ? major : NULL, "cuDeviceComputeCapability");
    if (failed == CUDA_SUCCESS) *major = of.major, *minor = of.minor;
    return failed;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    DRIVER_BEGIN(false);
    bool found = false;
    const lab_status status = lab_device_can_access_peer(can ? &found : NULL, device, peer);
    if (can) *can = found;
    return cudart_driver_end(status);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    DRIVER_BEGIN(false);
    return cudart_driver_end(lab_context_primary_retain((lab_context **)context, device));
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    DRIVER_BEGIN(false);
    return cudart_driver_end(lab_context_primary_release(device));
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    DRIVER_BEGIN(false);
    const lab_status status = lab_device_reset(device);
    if (status == LAB_SUCCESS) cudart_forget(device);
    return cudart_driver_end(status);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active)
{
    DRIVER_BEGIN(false);
    lab_device_info info;
    if (!flags || !active) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuDevicePrimaryCtxGetState: NULL");
    const lab_status status = lab_device_get_info(&info, device);
    const struct context *primary = status == LAB_SUCCESS ? context_existing_primary(device) : NULL;
    *flags = 0;
    *active = primary && (atomic_load(&primary->retained) > 0 || atomic_load(&primary->used_by_threads));
    return cudart_driver_end(status);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags)
{
    DRIVER_BEGIN(false);
    (void)flags;
    lab_device_info info;
    return cudart_driver_end(lab_device_get_info(&info, device));
}

/* ---- contexts ---- */

CUresult cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device)
{
    DRIVER_BEGIN(false);
    if (flags & ~(unsigned)(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD | CU_CTX_SCHED_BLOCKING_SYNC | CU_CTX_MAP_HOST))
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxCreate: unknown flags 0x%x", flags);
    return cudart_driver_end(lab_context_create((lab_context **)context, device));
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int flags,
                        CUdevice device)
{
    CUctxCreateParams parameters = {.execAffinityParams = affinity, .numExecAffinityParams = count};
    return cuCtxCreate_v4(context, &parameters, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *parameters, unsigned int flags, CUdevice device)
{
    DRIVER_BEGIN(false);
    if (parameters && parameters->numExecAffinityParams)
        return cudart_driver_fail(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY,
                                  "cuCtxCreate: a context always has all multiprocessors here");
    if (parameters && parameters->cigParams)
        return cudart_driver_fail(CUDA_ERROR_NOT_SUPPORTED, "cuCtxCreate: there is no graphics to share with here");
    return (cuCtxCreate)(context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context)
{
    DRIVER_BEGIN(false);
    if (!context) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxDestroy: the context is NULL");
    return cudart_driver_end(lab_context_destroy((lab_context *)context));
}

CUresult cuCtxPushCurrent(CUcontext context)
{
    DRIVER_BEGIN(false);
    if (!context) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxPushCurrent: the context is NULL");
    return cudart_driver_end(lab_context_push((lab_context *)context));
}

CUresult cuCtxPopCurrent(CUcontext *context)
{
    DRIVER_BEGIN(false);
    if (!context_stack_is_empty() || !cudart_uses_primary)
        return cudart_driver_end(lab_context_pop((lab_context **)context));
    if (context) *context = (CUcontext)lab_context_current();
    cudart_uses_primary = false;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    DRIVER_BEGIN(false);
    if (!context && context_stack_is_empty()) cudart_uses_primary = false;
    return cudart_driver_end(lab_context_set((lab_context *)context));
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    DRIVER_BEGIN(false);
    if (!context) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetCurrent: context is NULL");
    const bool has_one = cudart_uses_primary || !context_stack_is_empty();
    *context = has_one ? (CUcontext)lab_context_current() : NULL;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_device_current(device));
}

CUresult cuCtxGetFlags(unsigned int *flags)
{
    DRIVER_BEGIN(true);
    if (!flags) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetFlags: flags is NULL");
    *flags = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    DRIVER_BEGIN(!context);
    lab_context_info info;
    if (!id) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxGetId: id is NULL");
    const lab_status status = lab_context_get_info(&info, (lab_context *)context);
    if (status == LAB_SUCCESS) *id = info.id;
    return cudart_driver_end(status);
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned int *version)
{
    unsigned long long id;
    const CUresult failed = cuCtxGetId(context, version ? &id : NULL);
    if (failed == CUDA_SUCCESS) *version = 3020;
    return failed;
}

CUresult cuCtxSynchronize(void)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_device_synchronize());
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_BEGIN(true);
    int unused;
    return cudart_driver_end(lab_stream_priority_range(least ? least : &unused, greatest ? greatest : &unused));
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags)
{
    DRIVER_BEGIN(true);
    if (flags) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuCtxEnablePeerAccess: flags must be 0");
    return cudart_driver_end(lab_context_enable_peer_access((lab_context *)peer));
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_context_disable_peer_access((lab_context *)peer));
}
