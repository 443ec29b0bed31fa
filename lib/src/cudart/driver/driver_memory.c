/* The driver's memory: allocation, copies, fills. */
#include "cudart/cudart.h"

#include <stdlib.h>
#include <string.h>

/* ---- allocation ---- */

CUresult cuMemAlloc(CUdeviceptr *memory, size_t bytes)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_mem_alloc(memory, bytes));
}

CUresult cuMemAllocPitch(CUdeviceptr *memory, size_t *pitch, size_t width, size_t height, unsigned int element)
{
    DRIVER_BEGIN(true);
    if (!pitch || (element != 4 && element != 8 && element != 16))
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocPitch: pitch is NULL, or elements of %u bytes",
                                  element);
    *pitch = memory_pitch(width);
    return cudart_driver_end(lab_mem_alloc(memory, *pitch * height));
}

CUresult cuMemAllocManaged(CUdeviceptr *memory, size_t bytes, unsigned int flags)
{
    DRIVER_BEGIN(true);
    void *made = NULL;
    if (!memory || !bytes || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocManaged: NULL, 0 bytes or unknown flags 0x%x",
                                  flags);
    const lab_status status = lab_managed_alloc(&made, bytes);
    if (status == LAB_SUCCESS) *memory = (uintptr_t)made;
    return cudart_driver_end(status);
}

CUresult cuMemFree(CUdeviceptr memory)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(memory ? cudart_memory_free_any(memory) : LAB_SUCCESS);
}

CUresult cuMemAllocHost(void **memory, size_t bytes) { return cuMemHostAlloc(memory, bytes, 0); }

CUresult cuMemHostAlloc(void **memory, size_t bytes, unsigned int flags)
{
    DRIVER_BEGIN(true);
    if (!memory || flags & ~7u)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostAlloc: NULL, or unknown flags 0x%x", flags);
    return cudart_driver_end(cudart_pinned_alloc(memory, bytes));
}

CUresult cuMemFreeHost(void *memory)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_host_free(memory));
}

CUresult cuMemHostRegister(void *memory, size_t bytes, unsigned int flags)
{
    DRIVER_BEGIN(true);
    if (flags & ~15u)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostRegister: unknown flags 0x%x", flags);
    return cudart_driver_end(lab_host_register(memory, bytes));
}

CUresult cuMemHostUnregister(void *memory)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(lab_host_unregister(memory));
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags)
{
    DRIVER_BEGIN(true);
    const enum cudaMemoryType type = cudart_memory_find((uintptr_t)host).type;
    if (!device || flags || (type != cudaMemoryTypeHost && type != cudaMemoryTypeManaged))
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemHostGetDevicePointer: %p is not pinned", host);
    *device = (uintptr_t)host;
    return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free_bytes, size_t *total_bytes)
{
    DRIVER_BEGIN(true);
    size_t unused;
    return cudart_driver_end(lab_mem_get_info(free_bytes ? free_bytes : &unused, total_bytes ? total_bytes : &unused));
}

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr memory)
{
    DRIVER_BEGIN(true);
    const memory_place place = cudart_memory_find(memory);
    const bool is_known = place.type != cudaMemoryTypeUnregistered;
    if (base) *base = is_known ? place.address : 0; /* as the driver does */
    if (bytes) *bytes = is_known ? place.bytes : 0;
    if (is_known) return CUDA_SUCCESS;
    return cudart_driver_fail(CUDA_ERROR_NOT_FOUND, "cuMemGetAddressRange: 0x%llx is not device memory", memory);
}

CUresult cuMemAllocAsync(CUdeviceptr *memory, size_t bytes, CUstream stream)
{
    DRIVER_BEGIN(true);
    if (!memory || !bytes) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemAllocAsync: NULL, or 0 bytes");
    void *made = NULL;
    const lab_status status = cudart_pool_alloc_async(&made, bytes, NULL, cudart_stream(stream));
    *memory = (uintptr_t)made;
    return cudart_driver_end(status);
}

CUresult cuMemFreeAsync(CUdeviceptr memory, CUstream stream)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(cudart_pool_free_async(memory, cudart_stream(stream)));
}

/* ---- copies ---- */

/* A copy of unified addresses. A side that should be device memory must be memory that the library knows. */
static CUresult copy(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes, lab_stream *stream,
                     bool waits)
{
    DRIVER_BEGIN(true);
    if (!bytes) return CUDA_SUCCESS;
    const uint64_t unknown = to_device && cudart_memory_find(to).type == cudaMemoryTypeUnregistered       ? to
                             : from_device && cudart_memory_find(from).type == cudaMemoryTypeUnregistered ? from
                                                                                                          : 0;
    if (unknown || !to || !from)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE,
                                  "a copy from 0x%llx to 0x%llx, which are not the kinds of memory "
                                  "that the call is for",
                                  (unsigned long long)from, (unsigned long long)to);
    return cudart_driver_end(cudart_copy_row(to, cudart_memory_is_on_device(to), from, cudart_memory_is_on_device(from),
                                             bytes, stream, waits));
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy(to, cudart_memory_is_on_device(to), from, cudart_memory_is_on_device(from), bytes, cudart_stream(0),
                true);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy(to, cudart_memory_is_on_device(to), from, cudart_memory_is_on_device(from), bytes,
                cudart_stream(stream), false);
}

CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes)
{
    return copy(to, true, (uintptr_t)from, false, bytes, cudart_stream(0), true);
}

CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes)
{
    return copy((uintptr_t)to, false, from, true, bytes, cudart_stream(0), true);
}

CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
    return copy(to, true, from, true, bytes, cudart_stream(0), true);
}

CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    return copy(to, true, (uintptr_t)from, false, bytes, cudart_stream(stream), false);
}

CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy((uintptr_t)to, false, from, true, bytes, cudart_stream(stream), false);
}

CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    return copy(to, true, from, true, bytes, cudart_stream(stream), false);
}

static CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                          lab_stream *stream)
{
    DRIVER_BEGIN(true);
    lab_context_info to_info, from_info;
    if (!to_context || !from_context)
        return cudart_driver_fail(CUDA_ERROR_INVALID_CONTEXT, "a peer copy: a context is NULL");
    lab_status status = lab_context_get_info(&to_info, (lab_context *)to_context);
    if (status == LAB_SUCCESS) status = lab_context_get_info(&from_info, (lab_context *)from_context);
    if (status == LAB_SUCCESS && bytes)
        status = stream ? lab_memcpy_peer_async(to, to_info.device, from, from_info.device, bytes, stream)
                        : lab_memcpy_peer(to, to_info.device, from, from_info.device, bytes);
    return cudart_driver_end(status);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes)
{
    return copy_peer(to, to_context, from, from_context, bytes, NULL);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream)
{
    return copy_peer(to, to_context, from, from_context, bytes, cudart_stream(stream));
}

/* ---- fills ---- */

static CUresult wait(CUresult failed, CUdeviceptr memory)
{
    return failed == CUDA_SUCCESS ? cudart_driver_end(cudart_fill_wait(memory)) : failed;
}

CUresult cuMemsetD8(CUdeviceptr memory, unsigned char value, size_t count)
{
    return wait(cuMemsetD8Async(memory, value, count, 0), memory);
}

CUresult cuMemsetD8Async(CUdeviceptr memory, unsigned char value, size_t count, CUstream stream)
{
    DRIVER_BEGIN(true);
    return cudart_driver_end(
        cudart_fill_box_enqueue((copy_side){memory, 0, 0}, value, (copy_box){count, 1, 1}, cudart_stream(stream)));
}

CUresult cuMemsetD32(CUdeviceptr memory, unsigned int value, size_t count)
{
    return wait(cuMemsetD32Async(memory, value, count, 0), memory);
}

/* Words whose bytes differ are copied from the host. */
static lab_status fill_words(CUdeviceptr memory, unsigned value, size_t count, lab_stream *stream)
{
    lab_capture_status capture;
    LAB_TRY(lab_stream_is_capturing(&capture, stream));
    if (capture != LAB_CAPTURE_NONE) return LAB_ERROR_NOT_SUPPORTED;
    unsigned *words = calloc(count, sizeof *words);
    if (!words) return LAB_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) words[i] = value;
    const lab_status status = cudart_copy_row(memory, cudart_memory_is_on_device(memory), (uintptr_t)words, false,
                                              count * sizeof *words, stream, true);
    free(words);
    return status;
}

CUresult cuMemsetD32Async(CUdeviceptr memory, unsigned int value, size_t count, CUstream stream)
{
    DRIVER_BEGIN(true);
    if (memory % sizeof value)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuMemsetD32: 0x%llx is not aligned", memory);
    if (!count) return CUDA_SUCCESS;
    if (value == (value & 0xff) * 0x1010101u)
        return cuMemsetD8Async(memory, (unsigned char)value, count * sizeof value, stream);
    return cudart_driver_end(fill_words(memory, value, count, cudart_stream(stream)));
}
