/* CUDA arrays. Rows are as far apart as a GPU's pitched textures want them. */
#include "array.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t arrays_lock = PTHREAD_MUTEX_INITIALIZER;
static struct cudaArray *arrays;

/* ---- formats ---- */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}

cudaError_t cudart_format_read(size_t *texel, int *channels, const struct cudaChannelFormatDesc *format)
{
    const int bits[] = {format->x, format->y, format->z, format->w};
    const bool is_float = format->f == cudaChannelFormatKindFloat;
    int count = 1;
    while (count < 4 && bits[count] == bits[0]) count++;
    bool is_known = count != 3 && (bits[0] == 32 || (!is_float && (bits[0] == 8 || bits[0] == 16))) &&
                    format->f <= cudaChannelFormatKindFloat;
    for (int i = count; i < 4; i++) is_known = is_known && bits[i] == 0;
    *channels = count;
    *texel = is_known ? (size_t)(count * bits[0] / 8) : 0;
    if (is_known) return cudaSuccess;
    return cudart_fail(
        cudaErrorInvalidChannelDescriptor,
        "a texel with channels of %d, %d, %d and %d bits of the kind %d: there are 1, 2 or 4 channels of "
        "8, 16 or 32 bits for integers, and of 32 bits for floats",
        bits[0], bits[1], bits[2], bits[3], (int)format->f);
}

/* ---- arrays ---- */

static cudaError_t check_extent(struct cudaExtent extent, unsigned flags)
{
    int device;
    struct cudaDeviceProp of;
    lab_status status = lab_device_current(&device);
    if (status == LAB_SUCCESS) status = cudart_device_properties(&of, device);
    if (status != LAB_SUCCESS) return cudart_end(status);
    const bool is_layered = flags & cudaArrayLayered;
    const int one_axis[] = {of.maxTexture1D, 0, 0}, two_axes[] = {of.maxTexture2D[0], of.maxTexture2D[1], 0},
              layers_of_one[] = {of.maxTexture1DLayered[0], 0, of.maxTexture1DLayered[1]};
    const int *most = is_layered      ? extent.height ? of.maxTexture2DLayered : layers_of_one
                      : extent.depth  ? of.maxTexture3D
                      : extent.height ? two_axes
                                      : one_axis;
    const bool fits = extent.width >= 1 && extent.width <= (size_t)most[0] && extent.height <= (size_t)most[1] &&
                      extent.depth <= (size_t)most[2] && (extent.depth || !is_layered) &&
                      (extent.height || !extent.depth || is_layered);
    if (fits) return cudaSuccess;
    return cudart_fail(
        cudaErrorInvalidValue,
        "a CUDA array of %zu x %zu x %zu texels: at least 1 and at most %d x %d x %d are possible, where 0 "
        "stands for an axis that is not there",
        extent.width, extent.height, extent.depth, most[0], most[1], most[2]);
}

static cudaError_t check_flags(unsigned flags, bool layered)
{
    const unsigned known = cudaArraySurfaceLoadStore | cudaArrayTextureGather | (layered ? cudaArrayLayered : 0u);
    if (flags & cudaArrayCubemap) return cudart_fail(cudaErrorNotSupported, "cudaMalloc3DArray: no cubemaps here");
    return flags & ~known ? cudart_fail(cudaErrorInvalidValue, "a CUDA array with the unknown flags 0x%x", flags)
                          : cudaSuccess;
}

static cudaError_t make(cudaArray_t *array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                        unsigned flags)
{
    int channels;
    struct cudaArray made = {.extent = extent, .flags = flags};
    if (!array || !format) return cudart_fail(cudaErrorInvalidValue, "a CUDA array without a format or a place for it");
    cudaError_t failed = cudart_format_read(&made.texel, &channels, format);
    if (failed == cudaSuccess) failed = check_extent(extent, flags);
    if (failed != cudaSuccess) return failed;
    const size_t rows = extent.height ? extent.height : 1, layers = extent.depth ? extent.depth : 1;
    made.format = *format;
    made.pitch = (extent.width * made.texel + TEXTURE_PITCH - 1) / TEXTURE_PITCH * TEXTURE_PITCH;
    made.layer = made.pitch * rows;
    struct cudaArray *out = malloc(sizeof *out);
    if (!out) return cudart_end(LAB_ERROR_OUT_OF_MEMORY);
    lab_status status = lab_device_current(&made.device);
    if (status == LAB_SUCCESS) status = lab_mem_alloc(&made.address, made.layer * layers);
    if (status != LAB_SUCCESS) {
        free(out);
        return cudart_end(status);
    }
    pthread_mutex_lock(&arrays_lock);
    made.next = arrays;
    *out = made;
    arrays = *array = out;
    pthread_mutex_unlock(&arrays_lock);
    return cudaSuccess;
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, size_t width, size_t height,
                            unsigned int flags)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_flags(flags, false);
    return failed == cudaSuccess ? make(array, format, make_cudaExtent(width, height, 0), flags) : failed;
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
                              unsigned int flags)
{
    CUDART_BEGIN;
    const cudaError_t failed = check_flags(flags, true);
    return failed == cudaSuccess ? make(array, format, extent, flags) : failed;
}

/* Where the list has the array; lock held. */
static struct cudaArray **find(cudaArray_const_t array)
{
    struct cudaArray **at = &arrays;
    while (*at && *at != array) at = &(*at)->next;
    return at;
}

void cudart_arrays_forget(int device)
{
    pthread_mutex_lock(&arrays_lock);
    for (struct cudaArray **at = &arrays; *at;) {
        struct cudaArray *const array = *at;
        if (array->device == device) {
            *at = array->next;
            free(array);
        } else {
            at = &array->next;
        }
    }
    pthread_mutex_unlock(&arrays_lock);
}

cudaError_t cudart_array_find(struct cudaArray *found, cudaArray_const_t array)
{
    pthread_mutex_lock(&arrays_lock);
    const struct cudaArray *const there = *find(array);
    if (there) *found = *there;
    pthread_mutex_unlock(&arrays_lock);
    return there ? cudaSuccess
                 : cudart_fail(cudaErrorInvalidResourceHandle, "%p is not a CUDA array; was it freed?",
                               (const void *)array);
}

cudaError_t cudart_array_texel(size_t *texel, cudaArray_const_t array)
{
    struct cudaArray found;
    const cudaError_t failed = cudart_array_find(&found, array);
    if (failed == cudaSuccess) *texel = found.texel;
    return failed;
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    CUDART_BEGIN;
    struct cudaArray freed;
    if (!array) return cudaSuccess;
    const cudaError_t failed = cudart_array_find(&freed, array);
    const lab_status status = failed == cudaSuccess ? lab_mem_free(freed.address) : LAB_SUCCESS;
    if (failed != cudaSuccess || status != LAB_SUCCESS) return failed != cudaSuccess ? failed : cudart_end(status);
    pthread_mutex_lock(&arrays_lock);
    struct cudaArray **const at = find(array);
    if (*at) *at = array->next;
    pthread_mutex_unlock(&arrays_lock);
    free(array);
    return cudaSuccess;
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent, unsigned int *flags,
                             cudaArray_t array)
{
    CUDART_BEGIN;
    struct cudaArray found;
    const cudaError_t failed = cudart_array_find(&found, array);
    if (failed != cudaSuccess) return failed;
    if (format) *format = found.format;
    if (extent) *extent = found.extent;
    if (flags) *flags = found.flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array)
{
    return format ? cudaArrayGetInfo(format, NULL, NULL, (cudaArray_t)array)
                  : cudart_fail(cudaErrorInvalidValue, "cudaGetChannelDesc: format is NULL");
}

/* ---- copies ---- */

static bool fits(size_t at, size_t count, size_t most) { return at <= most && count <= most - at; }

cudaError_t cudart_array_side(copy_side *side, cudaArray_const_t array, struct cudaPos at, copy_box box)
{
    struct cudaArray of;
    const cudaError_t failed = cudart_array_find(&of, array);
    if (failed != cudaSuccess) return failed;
    const size_t width = of.extent.width * of.texel, rows = of.extent.height ? of.extent.height : 1,
                 layers = of.extent.depth ? of.extent.depth : 1;
    if (!fits(at.x, box.width, width) || !fits(at.y, box.height, rows) || !fits(at.z, box.depth, layers))
        return cudart_fail(cudaErrorInvalidValue,
                           "a copy of %zu bytes in %zu rows and %zu layers from byte %zu, row %zu, layer %zu of a CUDA "
                           "array: it has %zu bytes in %zu rows and %zu layers",
                           box.width, box.height, box.depth, at.x, at.y, at.z, width, rows, layers);
    *side = (copy_side){of.address + at.z * of.layer + at.y * of.pitch + at.x, of.pitch, of.layer};
    return cudaSuccess;
}

/* Copies between an array and rows of memory, to the array if `memory` is what it gets. */
static cudaError_t copy_rows(cudaArray_const_t array, struct cudaPos at, copy_side memory, bool to_array, copy_box box,
                             enum cudaMemcpyKind kind, lab_stream *stream, bool waits)
{
    copy_side of_array;
    const cudaError_t failed = cudart_array_side(&of_array, array, at, box);
    if (failed != cudaSuccess) return failed;
    return cudart_copy_box_enqueue(to_array ? of_array : memory, to_array ? memory : of_array, box, kind, stream,
                                   waits);
}

static copy_side rows_of(const void *memory, size_t pitch) { return (copy_side){(uintptr_t)memory, pitch, 0}; }

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_rows(to, make_cudaPos(x, y, 0), rows_of(from, from_pitch), true, (copy_box){width, height, 1}, kind,
                     cudart_stream(0), true);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t from_pitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_rows(to, make_cudaPos(x, y, 0), rows_of(from, from_pitch), true, (copy_box){width, height, 1}, kind,
                     cudart_stream(stream), false);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_rows(from, make_cudaPos(x, y, 0), rows_of(to, to_pitch), false, (copy_box){width, height, 1}, kind,
                     cudart_stream(0), true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_rows(from, make_cudaPos(x, y, 0), rows_of(to, to_pitch), false, (copy_box){width, height, 1}, kind,
                     cudart_stream(stream), false);
}

/* Bytes that follow each other in memory: within a row, or whole rows from the beginning of one. */
static cudaError_t copy_bytes(cudaArray_const_t array, size_t x, size_t y, const void *memory, bool to_array,
                              size_t bytes, enum cudaMemcpyKind kind)
{
    struct cudaArray of;
    const cudaError_t failed = cudart_array_find(&of, array);
    if (failed != cudaSuccess) return failed;
    const size_t row = of.extent.width * of.texel;
    const bool is_one = fits(x, bytes, row);
    if (!is_one && (x || bytes % row))
        return cudart_fail(
            cudaErrorInvalidValue,
            "%zu bytes from byte %zu of a row: a copy of several rows has a multiple of %zu bytes, from the "
            "beginning of a row; use cudaMemcpy2DToArray or cudaMemcpy2DFromArray",
            bytes, x, row);
    const copy_box box = is_one ? (copy_box){bytes, 1, 1} : (copy_box){row, bytes / row, 1};
    return copy_rows(array, make_cudaPos(x, y, 0), rows_of(memory, row), to_array, box, kind, cudart_stream(0), true);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_bytes(to, x, y, from, true, bytes, kind);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind)
{
    CUDART_BEGIN;
    return copy_bytes(from, x, y, to, false, bytes, kind);
}

/* ---- copies of boxes ---- */

/* With an array the width counts its texels, and so does a place in it. */
cudaError_t cudart_copy_of(copy_side *to, copy_side *from, copy_box *box, const struct cudaMemcpy3DParms *copy)
{
    if (!copy) return cudart_fail(cudaErrorInvalidValue, "cudaMemcpy3D: copy is NULL");
    size_t from_texel = 1, to_texel = 1;
    cudaError_t failed = copy->srcArray ? cudart_array_texel(&from_texel, copy->srcArray) : cudaSuccess;
    if (failed == cudaSuccess && copy->dstArray) failed = cudart_array_texel(&to_texel, copy->dstArray);
    if (failed != cudaSuccess) return failed;
    const size_t texel = copy->srcArray ? from_texel : to_texel;
    if (copy->srcArray && copy->dstArray && from_texel != to_texel)
        return cudart_fail(cudaErrorInvalidValue,
                           "cudaMemcpy3D: from an array with texels of %zu bytes to one with texels of %zu", from_texel,
                           to_texel);
    if (copy->extent.width > SIZE_MAX / texel || copy->srcPos.x > SIZE_MAX / texel || copy->dstPos.x > SIZE_MAX / texel)
        return cudart_fail(cudaErrorInvalidValue, "cudaMemcpy3D: %zu texels of %zu bytes from %zu to %zu",
                           copy->extent.width, texel, copy->srcPos.x, copy->dstPos.x);
    *box = (copy_box){copy->extent.width * texel, copy->extent.height, copy->extent.depth};
    *to = cudart_copy_side_of(copy->dstPtr, copy->dstPos);
    *from = cudart_copy_side_of(copy->srcPtr, copy->srcPos);
    const struct cudaPos from_at = {copy->srcPos.x * texel, copy->srcPos.y, copy->srcPos.z},
                         to_at = {copy->dstPos.x * texel, copy->dstPos.y, copy->dstPos.z};
    if (copy->srcArray) failed = cudart_array_side(from, copy->srcArray, from_at, *box);
    if (copy->dstArray && failed == cudaSuccess) failed = cudart_array_side(to, copy->dstArray, to_at, *box);
    return failed;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *copy, lab_stream *stream, bool waits)
{
    copy_side to, from;
    copy_box box;
    const cudaError_t failed = cudart_copy_of(&to, &from, &box, copy);
    return failed == cudaSuccess ? cudart_copy_box_enqueue(to, from, box, copy->kind, stream, waits) : failed;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy)
{
    CUDART_BEGIN;
    return copy_3d(copy, cudart_stream(0), true);
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy, cudaStream_t stream)
{
    CUDART_BEGIN;
    return copy_3d(copy, cudart_stream(stream), false);
}
