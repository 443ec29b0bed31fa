/* Memory of the runtime: device, pinned and managed memory, and what an address is. */
#include "graph_memory.h"

#include "base/retire.h"
#include "objects/work/memory.h"

lab_status cudart_pinned_alloc(void **out, size_t bytes)
{
    *out = NULL;
    return bytes ? lab_host_alloc(out, bytes) : LAB_SUCCESS;
}

lab_status cudart_managed_register(uint64_t address, size_t bytes)
{
    if (cudart_memory_find(address).type == cudaMemoryTypeManaged) return LAB_SUCCESS;
    LAB_TRY((lab_host_register)((void *)(uintptr_t)address, bytes));
    return memory_make_managed(address) ? LAB_SUCCESS : LAB_ERROR_UNKNOWN;
}

/* ---- addresses ---- */

memory_place cudart_memory_find(uint64_t address)
{
    RETIRE_SCOPE;
    range found;
    memory_place place = {cudaMemoryTypeUnregistered, address, 0, -2, NULL};
    if (!memory_find_device(&found, address) && !memory_find_pinned(&found, address)) return place;
    place.address = found.address;
    place.bytes = found.bytes;
    place.pool = (void *)(uintptr_t)found.pool;
    place.device = found.context ? found.context->device : 0;
    place.type = found.managed ? cudaMemoryTypeManaged : found.pinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
    return place;
}

bool cudart_memory_is_on_device(uint64_t address) { return cudart_memory_find(address).type == cudaMemoryTypeDevice; }

lab_status cudart_memory_free_any(uint64_t address)
{
    const memory_place place = cudart_memory_find(address);
    bool done;
    if (place.address == address && place.type == cudaMemoryTypeManaged)
        return lab_managed_free((void *)(uintptr_t)address);
    LAB_TRY(cudart_graph_memory_wait_and_free(address, &done));
    if (done) return LAB_SUCCESS;
    if (place.type != cudaMemoryTypeDevice || !place.pool) return lab_mem_free(address);
    LAB_TRY(lab_device_synchronize());
    return lab_mempool_free(place.pool, address, lab_stream_null());
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    CUDART_BEGIN;
    if (!attributes) return cudart_fail(cudaErrorInvalidValue, "cudaPointerGetAttributes: attributes is NULL");
    const memory_place place = cudart_memory_find((uintptr_t)memory);
    void *address = (void *)(uintptr_t)memory;
    const bool is_known = place.type != cudaMemoryTypeUnregistered;
    *attributes = (struct cudaPointerAttributes){place.type, place.device, is_known ? address : NULL,
                                                 place.type != cudaMemoryTypeDevice ? address : NULL};
    return cudaSuccess;
}

/* ---- allocation ---- */

static cudaError_t check_out(const void *out, const char *call)
{
    return out ? cudaSuccess : cudart_fail(cudaErrorInvalidValue, "%s: the place for the address is NULL", call);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    CUDART_BEGIN;
    lab_deviceptr address = 0;
    if (check_out(memory, "cudaMalloc")) return cudaErrorInvalidValue;
    const lab_status status = bytes ? lab_mem_alloc(&address, bytes) : LAB_SUCCESS;
    *memory = (void *)(uintptr_t)address;
    return cudart_end(status);
}

cudaError_t cudaFree(void *memory)
{
    CUDART_BEGIN;
    return cudart_end(memory ? cudart_memory_free_any((uintptr_t)memory) : LAB_SUCCESS);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) { return cudaHostAlloc(memory, bytes, cudaHostAllocDefault); }

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    CUDART_BEGIN;
    if (check_out(memory, "cudaHostAlloc")) return cudaErrorInvalidValue;
    if (flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined))
        return cudart_fail(cudaErrorInvalidValue, "cudaHostAlloc: unknown flags 0x%x", flags);
    return cudart_end(cudart_pinned_alloc(memory, bytes));
}

cudaError_t cudaFreeHost(void *memory)
{
    CUDART_BEGIN;
    if (cudart_memory_find((uintptr_t)memory).type == cudaMemoryTypeManaged)
        return cudart_fail(cudaErrorInvalidValue, "cudaFreeHost: %p is managed memory, which cudaFree frees", memory);
    return cudart_end(lab_host_free(memory));
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    CUDART_BEGIN;
    if (flags & ~15u) return cudart_fail(cudaErrorInvalidValue, "cudaHostRegister: unknown flags 0x%x", flags);
    return cudart_end(lab_host_register(memory, bytes));
}

cudaError_t cudaHostUnregister(void *memory)
{
    CUDART_BEGIN;
    return cudart_end(lab_host_unregister(memory));
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags)
{
    CUDART_BEGIN;
    if (check_out(device, "cudaHostGetDevicePointer")) return cudaErrorInvalidValue;
    const enum cudaMemoryType type = cudart_memory_find((uintptr_t)host).type;
    if (flags || (type != cudaMemoryTypeHost && type != cudaMemoryTypeManaged))
        return cudart_fail(cudaErrorInvalidValue, "cudaHostGetDevicePointer: %p is not pinned, or flags is not 0",
                           host);
    *device = host;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned int *flags, void *host)
{
    CUDART_BEGIN;
    if (!flags || cudart_memory_find((uintptr_t)host).type != cudaMemoryTypeHost)
        return cudart_fail(cudaErrorInvalidValue, "cudaHostGetFlags: %p is not pinned, or flags is NULL", host);
    *flags = cudaHostAllocPortable | cudaHostAllocMapped;
    return cudaSuccess;
}

cudaError_t cudaMallocManaged(void **memory, size_t bytes, unsigned int flags)
{
    CUDART_BEGIN;
    if (check_out(memory, "cudaMallocManaged")) return cudaErrorInvalidValue;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudart_fail(cudaErrorInvalidValue, "cudaMallocManaged: unknown flags 0x%x", flags);
    *memory = NULL;
    return cudart_end(bytes ? lab_managed_alloc(memory, bytes) : LAB_SUCCESS);
}

cudaError_t cudaMallocPitch(void **memory, size_t *pitch, size_t width, size_t height)
{
    if (!pitch) return cudart_fail(cudaErrorInvalidValue, "cudaMallocPitch: pitch is NULL");
    *pitch = memory_pitch(width);
    return cudaMalloc(memory, *pitch * height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent)
{
    if (!memory) return cudart_fail(cudaErrorInvalidValue, "cudaMalloc3D: memory is NULL");
    *memory = make_cudaPitchedPtr(NULL, memory_pitch(extent.width), extent.width, extent.height);
    return cudaMalloc(&memory->ptr, memory->pitch * extent.height * extent.depth);
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    CUDART_BEGIN;
    size_t unused;
    return cudart_end(lab_mem_get_info(free_bytes ? free_bytes : &unused, total_bytes ? total_bytes : &unused));
}

/* ---- hints about managed memory ---- */

static cudaError_t check_hint(const void *memory, size_t bytes, int device, const char *call)
{
    lab_device_info info;
    const memory_place place = cudart_memory_find((uintptr_t)memory);
    if (device != cudaCpuDeviceId) {
        const lab_status status = lab_device_get_info(&info, device);
        if (status != LAB_SUCCESS) return cudart_end(status);
    }
    if (bytes && place.type == cudaMemoryTypeManaged && bytes <= place.bytes - ((uintptr_t)memory - place.address))
        return cudaSuccess;
    return cudart_fail(cudaErrorInvalidValue, "%s: %zu bytes at %p are not managed memory", call, bytes, memory);
}

cudaError_t cudaMemAdvise(const void *memory, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    CUDART_BEGIN;
    if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy)
        return cudart_fail(cudaErrorInvalidValue, "cudaMemAdvise: unknown advice %d", (int)advice);
    const bool names_device =
        advice >= cudaMemAdviseSetPreferredLocation && advice != cudaMemAdviseUnsetPreferredLocation;
    return check_hint(memory, bytes, names_device ? device : cudaCpuDeviceId, "cudaMemAdvise");
}

cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, int device, cudaStream_t stream)
{
    CUDART_BEGIN;
    unsigned flags;
    const lab_status status = lab_stream_get_flags(&flags, cudart_stream(stream));
    if (status != LAB_SUCCESS) return cudart_end(status);
    return check_hint(memory, bytes, device, "cudaMemPrefetchAsync");
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory, size_t bytes, unsigned int flags)
{
    CUDART_BEGIN;
    (void)stream, (void)flags;
    return check_hint(memory, bytes ? bytes : 1, cudaCpuDeviceId, "cudaStreamAttachMemAsync");
}
