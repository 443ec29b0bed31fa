/*
 * Copies and fills of the runtime. Addresses say what memory is (unified addressing); the kind of a copy must agree. A
 * copy between two places of the host's is a host function on the stream, which the order checker knows by its buffers.
 */
#include "cudart.h"

#include "base/status.h"
#include "objects/work/host_call.h"
#include "register.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Work of the host's on a stream: a copy, or a fill if `from` is NULL. */
typedef struct host_work {
    void *to;
    const void *from;
    int value;
    size_t bytes;
    bool is_kept; /* a graph may run it again */
} host_work;

static void move_bytes(void *user)
{
    const host_work *work = user;
    if (work->from)
        memmove(work->to, work->from, work->bytes);
    else
        memset(work->to, work->value, work->bytes);
}

static void do_host_work(void *user)
{
    host_work *work = user;
    const void *from = work->from ? work->from : work->to;
    host_call_work(
        &(backend_host_work){(uintptr_t)from, (uintptr_t)work->to, work->bytes, .function = move_bytes, .user = work});
    if (!work->is_kept) free(work);
}

static lab_status enqueue_host_work(host_work wanted, lab_stream *stream)
{
    lab_capture_status capture;
    LAB_TRY(lab_stream_is_capturing(&capture, stream));
    host_work *work = malloc(sizeof *work);
    if (!work) return LAB_ERROR_OUT_OF_MEMORY;
    *work = wanted;
    work->is_kept = capture != LAB_CAPTURE_NONE;
    lab_status status = lab_next_uses_host(work->to, work->bytes, true);
    if (status == LAB_SUCCESS && work->from) status = lab_next_uses_host(work->from, work->bytes, false);
    if (status == LAB_SUCCESS) status = lab_stream_launch_host_func(stream, do_host_work, work);
    if (status != LAB_SUCCESS) free(work);
    return status;
}

/* A copy of the host's to the host always waits, except in a capture. */
static lab_status copy_on_host(uint64_t to, uint64_t from, size_t bytes, lab_stream *stream)
{
    lab_capture_status capture;
    LAB_TRY(
        enqueue_host_work((host_work){(void *)(uintptr_t)to, (const void *)(uintptr_t)from, 0, bytes, false}, stream));
    LAB_TRY(lab_stream_is_capturing(&capture, stream));
    return capture == LAB_CAPTURE_NONE ? lab_stream_synchronize(stream) : LAB_SUCCESS;
}

lab_status cudart_copy_row(uint64_t to, bool to_device, uint64_t from, bool from_device, size_t bytes,
                           lab_stream *stream, bool waits)
{
    const bool on_null = stream == lab_stream_null();
    void *host_to = (void *)(uintptr_t)to;
    const void *host_from = (const void *)(uintptr_t)from;
    if (!to_device && !from_device) return copy_on_host(to, from, bytes, stream);
    if (to_device && from_device) return lab_memcpy_dtod_async(to, from, bytes, stream);
    if (waits && on_null)
        return to_device ? lab_memcpy_htod(to, host_from, bytes) : lab_memcpy_dtoh(host_to, from, bytes);
    LAB_TRY(to_device ? lab_memcpy_htod_async(to, host_from, bytes, stream)
                      : lab_memcpy_dtoh_async(host_to, from, bytes, stream));
    return waits ? lab_stream_synchronize(stream) : LAB_SUCCESS;
}

/* ---- boxes ---- */

/* Fails if a side that the kind places on the device is not memory that the device knows. What it places on the host
 * may be anywhere, as in CUDA. */
static cudaError_t check_kind(uint64_t to, uint64_t from, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudart_fail(cudaErrorInvalidMemcpyDirection, "a copy of the unknown kind %d", (int)kind);
    if (kind == cudaMemcpyDefault) return cudaSuccess;
    const bool wants_device[] = {kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice,
                                 kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice};
    const uint64_t side[] = {to, from};
    for (int i = 0; i < 2; i++) {
        if (!wants_device[i] || cudart_memory_find(side[i]).type != cudaMemoryTypeUnregistered) continue;
        return cudart_fail(cudaErrorInvalidValue, "the %s 0x%llx of the copy is not device memory, as its kind says",
                           i ? "source" : "destination", (unsigned long long)side[i]);
    }
    return cudaSuccess;
}

/* Rows and layers that follow each other without a gap on both sides are one row. */
static copy_box joined(const copy_side *one, const copy_side *other, copy_box box)
{
    if (box.height > 1 && one->pitch == box.width && other->pitch == box.width) {
        const size_t rows = box.height;
        if (box.depth <= 1 || (one->layer == box.width * rows && other->layer == box.width * rows))
            return (copy_box){box.width * rows * (box.depth ? box.depth : 1), 1, 1};
        return (copy_box){box.width * rows, 1, box.depth};
    }
    return box;
}

cudaError_t cudart_copy_box_enqueue(copy_side to, copy_side from, copy_box box, enum cudaMemcpyKind kind,
                                    lab_stream *stream, bool waits)
{
    if (!box.width || !box.height || !box.depth) return cudaSuccess;
    if (box.height > 1 && (to.pitch < box.width || from.pitch < box.width))
        return cudart_fail(cudaErrorInvalidPitchValue, "the pitch of a copy is smaller than its width of %zu bytes",
                           box.width);
    const cudaError_t unfit = check_kind(to.address, from.address, kind);
    if (unfit != cudaSuccess) return unfit;
    box = joined(&to, &from, box);
    const bool is_one = box.height == 1 && box.depth == 1;
    const bool to_device = cudart_memory_is_on_device(to.address),
               from_device = cudart_memory_is_on_device(from.address); /* all rows are */
    lab_status status = LAB_SUCCESS;
    for (size_t layer = 0; layer < box.depth; layer++)
        for (size_t row = 0; row < box.height && status == LAB_SUCCESS; row++)
            status = cudart_copy_row(to.address + layer * to.layer + row * to.pitch, to_device,
                                     from.address + layer * from.layer + row * from.pitch, from_device, box.width,
                                     stream, waits && is_one);
    if (status == LAB_SUCCESS && waits && !is_one && !(to_device && from_device))
        status = lab_stream_synchronize(stream);
    return cudart_end(status);
}

lab_status cudart_fill_box_enqueue(copy_side to, int value, copy_box box, lab_stream *stream)
{
    if (!box.width || !box.height || !box.depth) return LAB_SUCCESS;
    if (box.height > 1 && to.pitch < box.width)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "the pitch of a fill is smaller than its width of %zu bytes",
                        box.width);
    box = joined(&to, &to, box);
    const enum cudaMemoryType type = cudart_memory_find(to.address).type;
    for (size_t layer = 0; layer < box.depth; layer++)
        for (size_t row = 0; row < box.height; row++) {
            const uint64_t address = to.address + layer * to.layer + row * to.pitch;
            if (type == cudaMemoryTypeHost || type == cudaMemoryTypeManaged)
                LAB_TRY(
                    enqueue_host_work((host_work){(void *)(uintptr_t)address, NULL, value, box.width, false}, stream));
            else
                LAB_TRY(lab_memset_async(address, (unsigned char)value, box.width, stream));
        }
    return LAB_SUCCESS;
}

static copy_side plain(const void *memory) { return (copy_side){(uintptr_t)memory, 0, 0}; }

static copy_side pitched(const void *memory, size_t pitch) { return (copy_side){(uintptr_t)memory, pitch, 0}; }

/* ---- copies ---- */

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return cudart_copy_box_enqueue(plain(to), plain(from), (copy_box){bytes, 1, 1}, kind, cudart_stream(0), true);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return cudart_copy_box_enqueue(plain(to), plain(from), (copy_box){bytes, 1, 1}, kind, cudart_stream(stream), false);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t bytes)
{
    CUDART_BEGIN;
    return cudart_end(bytes ? lab_memcpy_peer((uintptr_t)to, to_device, (uintptr_t)from, from_device, bytes)
                            : LAB_SUCCESS);
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                                cudaStream_t stream)
{
    CUDART_BEGIN;
    return cudart_end(bytes ? lab_memcpy_peer_async((uintptr_t)to, to_device, (uintptr_t)from, from_device, bytes,
                                                    cudart_stream(stream))
                            : LAB_SUCCESS);
}

static cudaError_t copy_2d(copy_side to, copy_side from, size_t width, size_t height, enum cudaMemcpyKind kind,
                           cudaStream_t stream, bool waits)
{
    if (width && height && (to.pitch < width || from.pitch < width))
        return cudart_fail(cudaErrorInvalidPitchValue, "the pitch of a copy is smaller than its width of %zu bytes",
                           width);
    return cudart_copy_box_enqueue(to, from, (copy_box){width, height, 1}, kind, cudart_stream(stream), waits);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_2d(pitched(to, to_pitch), pitched(from, from_pitch), width, height, kind, 0, true);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_2d(pitched(to, to_pitch), pitched(from, from_pitch), width, height, kind, stream, false);
}

copy_side cudart_copy_side_of(struct cudaPitchedPtr memory, struct cudaPos at)
{
    const size_t layer = memory.pitch * memory.ysize;
    return (copy_side){(uintptr_t)memory.ptr + at.z * layer + at.y * memory.pitch + at.x, memory.pitch, layer};
}

/* ---- fills ---- */

lab_status cudart_fill_wait(uint64_t to)
{
    lab_stream *stream = cudart_stream(0);
    lab_capture_status capture;
    LAB_TRY(lab_stream_is_capturing(&capture, stream));
    const enum cudaMemoryType type = cudart_memory_find(to).type;
    const bool waits = type == cudaMemoryTypeHost || type == cudaMemoryTypeManaged;
    return waits && capture == LAB_CAPTURE_NONE ? lab_stream_synchronize(stream) : LAB_SUCCESS;
}

static cudaError_t wait(cudaError_t failed, const void *memory)
{
    return failed == cudaSuccess ? cudart_end(cudart_fill_wait((uintptr_t)memory)) : failed;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return wait(cudaMemsetAsync(memory, value, bytes, 0), memory);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    CUDART_BEGIN;
    return cudart_end(cudart_fill_box_enqueue(plain(memory), value, (copy_box){bytes, 1, 1}, cudart_stream(stream)));
}

cudaError_t cudaMemset2D(void *memory, size_t pitch, int value, size_t width, size_t height)
{
    return wait(cudaMemset2DAsync(memory, pitch, value, width, height, 0), memory);
}

cudaError_t cudaMemset2DAsync(void *memory, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
{
    CUDART_BEGIN;
    return cudart_end(
        cudart_fill_box_enqueue(pitched(memory, pitch), value, (copy_box){width, height, 1}, cudart_stream(stream)));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent)
{
    return wait(cudaMemset3DAsync(memory, value, extent, 0), memory.ptr);
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value, struct cudaExtent extent, cudaStream_t stream)
{
    CUDART_BEGIN;
    const copy_box box = {extent.width, extent.height, extent.depth};
    return cudart_end(
        cudart_fill_box_enqueue(cudart_copy_side_of(memory, make_cudaPos(0, 0, 0)), value, box, cudart_stream(stream)));
}

/* ---- symbols ---- */

static cudaError_t find_symbol(copy_side *side, const void *symbol, size_t bytes, size_t offset)
{
    lab_deviceptr address;
    size_t size;
    const lab_status status = cudart_symbol(&address, &size, symbol);
    if (status == LAB_ERROR_NOT_FOUND)
        return cudart_fail(cudaErrorInvalidSymbol, "%p is not a __device__ or __constant__ variable", symbol);
    if (status != LAB_SUCCESS) return cudart_end(status);
    if (offset > size || bytes > size - offset)
        return cudart_fail(cudaErrorInvalidValue, "%zu bytes at offset %zu of a variable of %zu bytes", bytes, offset,
                           size);
    *side = (copy_side){address + offset, 0, 0};
    return cudaSuccess;
}

static cudaError_t copy_symbol(const void *symbol, size_t offset, const void *memory, size_t bytes, bool to_symbol,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    copy_side variable;
    const cudaError_t unfit = find_symbol(&variable, symbol, bytes, offset);
    if (unfit != cudaSuccess) return unfit;
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) || kind == cudaMemcpyHostToHost)
        return cudart_fail(cudaErrorInvalidMemcpyDirection, "the kind %d does not suit a variable of the device's",
                           (int)kind);
    const copy_side other = plain(memory);
    return cudart_copy_box_enqueue(to_symbol ? variable : other, to_symbol ? other : variable, (copy_box){bytes, 1, 1},
                                   kind, cudart_stream(stream), waits);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_symbol(symbol, offset, from, bytes, true, kind, 0, true);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_symbol(symbol, offset, to, bytes, false, kind, 0, true);
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_symbol(symbol, offset, from, bytes, true, kind, stream, false);
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_symbol(symbol, offset, to, bytes, false, kind, stream, false);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
    CUDART_BEGIN;
    copy_side variable;
    if (!address) return cudart_fail(cudaErrorInvalidValue, "cudaGetSymbolAddress: address is NULL");
    const cudaError_t unfit = find_symbol(&variable, symbol, 0, 0);
    if (unfit == cudaSuccess) *address = (void *)(uintptr_t)variable.address;
    return unfit;
}

cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    CUDART_BEGIN;
    lab_deviceptr address;
    if (!bytes) return cudart_fail(cudaErrorInvalidValue, "cudaGetSymbolSize: bytes is NULL");
    const lab_status status = cudart_symbol(&address, bytes, symbol);
    return status == LAB_ERROR_NOT_FOUND ? cudart_fail(cudaErrorInvalidSymbol, "%p is not a variable", symbol)
                                         : cudart_end(status);
}
