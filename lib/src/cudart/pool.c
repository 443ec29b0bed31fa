/* Memory pools of the runtime, over lab_mempool, with the attributes that CUDA's have. */
#include "graph_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ATTRIBUTES = cudaMemPoolAttrReleaseThreshold + 1, MOST_DEVICES = 64 };

/* A pool: the program's own, or the default pool of a device. */
struct CUmemPoolHandle_st {
    lab_mempool *pool; /* NULL: the default pool of the device's primary context */
    int device;
    uint64_t attribute[ATTRIBUTES]; /* set by the program; no effect */
    uint64_t reserved_high, used_high;
};

/* CUDA's own values of the attributes: memory is reused in all three ways. */
#define OWN_ATTRIBUTES .attribute = {0, 1, 1, 1, 0}
static struct CUmemPoolHandle_st default_pool[MOST_DEVICES] = {[0 ... MOST_DEVICES - 1] = {OWN_ATTRIBUTES}};
static _Atomic(cudaMemPool_t) current_pool[MOST_DEVICES]; /* NULL: the default */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static lab_mempool *native(cudaMemPool_t pool) { return pool->pool ? pool->pool : lab_mempool_default(); }

static cudaMemPool_t default_of(int device)
{
    default_pool[device].device = device;
    return &default_pool[device];
}

static cudaError_t check_device(int device)
{
    lab_device_info info;
    return cudart_end(device < MOST_DEVICES ? lab_device_get_info(&info, device) : LAB_ERROR_INVALID_DEVICE);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device)
{
    CUDART_BEGIN;
    if (!pool) return cudart_fail(cudaErrorInvalidValue, "cudaDeviceGetDefaultMemPool: pool is NULL");
    const cudaError_t failed = check_device(device);
    if (failed == cudaSuccess) *pool = default_of(device);
    return failed;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device)
{
    const cudaError_t failed = cudaDeviceGetDefaultMemPool(pool, device);
    if (failed == cudaSuccess && current_pool[device]) *pool = current_pool[device];
    return failed;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_device(device);
    if (failed != cudaSuccess) return failed;
    if (!pool || pool->device != device)
        return cudart_fail(cudaErrorInvalidValue, "cudaDeviceSetMemPool: the pool is NULL, or of another device");
    current_pool[device] = pool == default_of(device) ? NULL : pool;
    return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties)
{
    CUDART_BEGIN;
    if (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned ||
        properties->location.type != cudaMemLocationTypeDevice)
        return cudart_fail(cudaErrorInvalidValue, "cudaMemPoolCreate: pool or properties is NULL, or they are not "
                                                  "those of pinned device memory");
    if (properties->handleTypes != cudaMemHandleTypeNone)
        return cudart_fail(cudaErrorNotSupported, "cudaMemPoolCreate: memory cannot be shared with other processes");
    const cudaError_t failed = check_device(properties->location.id);
    if (failed != cudaSuccess) return failed;
    cudaMemPool_t made = calloc(1, sizeof *made);
    if (!made) return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    lab_status status = LAB_SUCCESS;
    *made = (struct CUmemPoolHandle_st){.device = properties->location.id, OWN_ATTRIBUTES};
    LAB_WITH_DEVICE(made->device)
    {
        status = lab_mempool_create(&made->pool, NULL);
        if (status == LAB_SUCCESS && properties->maxSize) lab_mempool_set_limit(made->pool, properties->maxSize);
    }
    if (status == LAB_SUCCESS)
        *pool = made;
    else
        free(made);
    return cudart_end(status);
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool)
{
    CUDART_BEGIN;
    if (!pool || !pool->pool)
        return cudart_fail(cudaErrorInvalidValue, "cudaMemPoolDestroy: the pool is NULL, or a default pool");
    const lab_status status = lab_mempool_destroy(pool->pool);
    if (status != LAB_SUCCESS) return cudart_end(status);
    cudaMemPool_t was = pool;
    atomic_compare_exchange_strong(&current_pool[pool->device], &was, NULL);
    free(pool);
    return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep)
{
    CUDART_BEGIN;
    if (!pool) return cudart_fail(cudaErrorInvalidValue, "cudaMemPoolTrimTo: the pool is NULL");
    lab_status status = LAB_SUCCESS;
    LAB_WITH_DEVICE(pool->device)
    {
        if (lab_mempool_total_bytes(native(pool)) > keep) status = lab_mempool_free_all_blocks(native(pool));
    }
    return cudart_end(status);
}

/* Whether the value of an attribute is an int; the others are 64 bits. */
static bool is_flag(enum cudaMemPoolAttr attribute) { return attribute < cudaMemPoolAttrReleaseThreshold; }

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    CUDART_BEGIN;
    if (!pool || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh || attribute == cudaMemPoolAttrReservedMemCurrent ||
        attribute == cudaMemPoolAttrUsedMemCurrent)
        return cudart_fail(cudaErrorInvalidValue,
                           "cudaMemPoolSetAttribute: an argument is NULL, or the attribute %d "
                           "cannot be set",
                           (int)attribute);
    const uint64_t given = is_flag(attribute) ? *(unsigned *)value : *(uint64_t *)value;
    if (attribute > cudaMemPoolAttrReleaseThreshold && given)
        return cudart_fail(cudaErrorInvalidValue, "cudaMemPoolSetAttribute: a high mark can only be set to 0");
    pthread_mutex_lock(&lock);
    if (attribute == cudaMemPoolAttrReservedMemHigh)
        pool->reserved_high = 0;
    else if (attribute == cudaMemPoolAttrUsedMemHigh)
        pool->used_high = 0;
    else
        pool->attribute[attribute] = given;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static uint64_t raised(uint64_t *high, uint64_t now)
{
    if (now > *high) *high = now;
    return *high;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value)
{
    CUDART_BEGIN;
    if (!pool || !value || attribute < cudaMemPoolReuseFollowEventDependencies ||
        attribute > cudaMemPoolAttrUsedMemHigh)
        return cudart_fail(cudaErrorInvalidValue,
                           "cudaMemPoolGetAttribute: an argument is NULL, or there is no "
                           "attribute %d",
                           (int)attribute);
    uint64_t used = 0, reserved = 0;
    LAB_WITH_DEVICE(pool->device)
    {
        used = lab_mempool_used_bytes(native(pool));
        reserved = lab_mempool_total_bytes(native(pool));
    }
    pthread_mutex_lock(&lock);
    const uint64_t used_high = raised(&pool->used_high, used), reserved_high = raised(&pool->reserved_high, reserved);
    const uint64_t found = attribute == cudaMemPoolAttrReservedMemCurrent ? reserved
                           : attribute == cudaMemPoolAttrReservedMemHigh  ? reserved_high
                           : attribute == cudaMemPoolAttrUsedMemCurrent   ? used
                           : attribute == cudaMemPoolAttrUsedMemHigh      ? used_high
                                                                          : pool->attribute[attribute];
    pthread_mutex_unlock(&lock);
    if (is_flag(attribute))
        *(int *)value = (int)found;
    else
        *(uint64_t *)value = found;
    return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access, size_t count)
{
    CUDART_BEGIN;
    if (!pool || (count && !access)) return cudart_fail(cudaErrorInvalidValue, "cudaMemPoolSetAccess: NULL");
    for (size_t i = 0; i < count; i++)
        if (access[i].location.id != pool->device)
            return cudart_fail(cudaErrorNotSupported, "cudaMemPoolSetAccess: a pool's memory is for its own device");
    return cudaSuccess;
}

/* ---- allocation ---- */

lab_status cudart_pool_alloc_async(void **out, size_t bytes, lab_mempool *pool, lab_stream *stream)
{
    bool done;
    lab_deviceptr address = 0;
    LAB_TRY(cudart_graph_memory_capture_begin(out, bytes, stream, &done));
    if (done) return LAB_SUCCESS;
    LAB_TRY(lab_mempool_alloc(&address, pool, bytes, stream));
    *out = (void *)(uintptr_t)address;
    return LAB_SUCCESS;
}

lab_status cudart_pool_free_async(uint64_t address, lab_stream *stream)
{
    bool done;
    const memory_place place = cudart_memory_find(address);
    if (!address) return LAB_SUCCESS;
    LAB_TRY(cudart_graph_memory_capture_end(address, stream, &done));
    if (!done) LAB_TRY(cudart_graph_memory_free(address, stream, &done));
    if (done) return LAB_SUCCESS;
    if (place.type == cudaMemoryTypeDevice && !place.pool)
        return lab_mem_free(address); /* which waits for the device */
    return lab_mempool_free(place.type == cudaMemoryTypeDevice ? place.pool : NULL, address, stream);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    CUDART_BEGIN;
    int device;
    if (!memory) return cudart_fail(cudaErrorInvalidValue, "cudaMallocAsync: the place for the address is NULL");
    lab_status status = lab_stream_get_device(&device, cudart_stream(stream));
    cudaMemPool_t pool = status == LAB_SUCCESS && device < MOST_DEVICES ? current_pool[device] : NULL;
    if (status == LAB_SUCCESS)
        status = cudart_pool_alloc_async(memory, bytes, pool ? native(pool) : NULL, cudart_stream(stream));
    return cudart_end(status);
}

cudaError_t cudaMallocFromPoolAsync(void **memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    CUDART_BEGIN;
    if (!memory || !pool) return cudart_fail(cudaErrorInvalidValue, "cudaMallocFromPoolAsync: an argument is NULL");
    return cudart_end(cudart_pool_alloc_async(memory, bytes, native(pool), cudart_stream(stream)));
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    CUDART_BEGIN;
    return cudart_end(cudart_pool_free_async((uintptr_t)memory, cudart_stream(stream)));
}
