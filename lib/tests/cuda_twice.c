/*
 * A driver that shows each GPU of the machine twice, so that what needs two GPUs runs on one: device n + k of n GPUs is
 * GPU k again, with a primary context, a name and a UUID of its own. Both have one memory, and work of one can hold up
 * the other's. The calls that name a device are here; all others are the driver's, libcuda_real.so.
 */
#include <cuda.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { AGAIN = 1 << 16 }; /* added to the handle of a GPU that is shown again */

static bool is_again(CUdevice device) { return (device & AGAIN) != 0; }
static CUdevice gpu_of(CUdevice device) { return device & ~AGAIN; }

#define SYMBOL_OF(name) #name
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, SYMBOL_OF(name)))

CUresult cuDeviceGetCount(int *count)
{
    const CUresult result = REAL(cuDeviceGetCount)(count);
    if (result == CUDA_SUCCESS) *count *= 2;
    return result;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    int gpus = 0;
    const CUresult result = REAL(cuDeviceGetCount)(&gpus);
    if (result != CUDA_SUCCESS || ordinal < gpus || ordinal >= 2 * gpus) return REAL(cuDeviceGet)(device, ordinal);
    const CUresult found = REAL(cuDeviceGet)(device, ordinal - gpus);
    *device |= AGAIN;
    return found;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    const CUresult result = REAL(cuDeviceGetName)(name, length, gpu_of(device));
    const size_t end = strlen(name);
    if (result == CUDA_SUCCESS && is_again(device)) snprintf(name + end, (size_t)length - end, ", again");
    return result;
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    const CUresult result = REAL(cuDeviceGetUuid)(uuid, gpu_of(device));
    if (is_again(device)) uuid->bytes[0] ^= 1;
    return result;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    return REAL(cuDeviceGetAttribute)(value, attribute, gpu_of(device));
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    return REAL(cuDeviceGetPCIBusId)(id, length, gpu_of(device));
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) { return REAL(cuDeviceTotalMem)(bytes, gpu_of(device)); }

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    if (gpu_of(device) != gpu_of(peer)) return REAL(cuDeviceCanAccessPeer)(can, gpu_of(device), gpu_of(peer));
    *can = device != peer;
    return CUDA_SUCCESS;
}

/* ---- contexts ---- */

/* The form that every driver has; its name in cuda.h means another. */
typedef CUresult create_context(CUcontext *context, unsigned flags, CUdevice device);
create_context cuCtxCreate_v2;

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    create_context *const create = (create_context *)dlsym(RTLD_NEXT, "cuCtxCreate_v2");
    return create(context, flags, gpu_of(device));
}

/* The primary contexts of GPUs that are shown again. */
enum { MOST_GPUS = 64 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct primary {
    CUcontext context;
    int users;
} primary[MOST_GPUS];

static CUresult make_primary(struct primary *made, CUdevice device)
{
    CUcontext popped;
    const CUresult result = cuCtxCreate_v2(&made->context, 0, device);
    return result == CUDA_SUCCESS ? REAL(cuCtxPopCurrent)(&popped) : result;
}

static CUresult end_primary(struct primary *ended)
{
    const CUcontext context = ended->context;
    ended->context = NULL;
    return context ? REAL(cuCtxDestroy)(context) : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (!is_again(device)) return REAL(cuDevicePrimaryCtxRetain)(context, device);
    struct primary *const its = &primary[gpu_of(device) % MOST_GPUS];
    pthread_mutex_lock(&lock);
    const CUresult result = its->context ? CUDA_SUCCESS : make_primary(its, device);
    its->users += result == CUDA_SUCCESS;
    *context = its->context;
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device)
{
    if (!is_again(device)) return REAL(cuDevicePrimaryCtxRelease)(device);
    struct primary *const its = &primary[gpu_of(device) % MOST_GPUS];
    pthread_mutex_lock(&lock);
    const CUresult result = its->users > 0 && --its->users == 0 ? end_primary(its) : CUDA_SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device)
{
    if (!is_again(device)) return REAL(cuDevicePrimaryCtxReset)(device);
    pthread_mutex_lock(&lock);
    const CUresult result = end_primary(&primary[gpu_of(device) % MOST_GPUS]);
    pthread_mutex_unlock(&lock);
    return result;
}

/* Contexts of one GPU reach each other's memory without being asked to, and the driver refuses to be asked. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    const CUresult result = REAL(cuCtxEnablePeerAccess)(peer, flags);
    return result == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED || result == CUDA_ERROR_INVALID_DEVICE ? CUDA_SUCCESS : result;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    const CUresult result = REAL(cuCtxDisablePeerAccess)(peer);
    return result == CUDA_ERROR_PEER_ACCESS_NOT_ENABLED ? CUDA_SUCCESS : result;
}
