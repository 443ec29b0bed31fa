/*
 * Texture and surface objects on the CPU device. The handle is the address of a cpu_texture in pinned memory, which
 * kernels read. So a kernel that uses an object after its end reads freed memory, as memcheck says.
 */
#include "texture.h"

#include "array.h"
#include "cpu/builtins/texture_abi.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct texture {
    struct texture *next;
    cpu_texture *seen;         /* by kernels */
    lab_pinned_mempool *cells; /* that has `seen` */
    int device;
    bool is_surface;
    uint64_t address; /* of all texels */
    size_t bytes;
    struct cudaResourceDesc resource;
    struct cudaTextureDesc description;
} texture;

static pthread_mutex_t textures_lock = PTHREAD_MUTEX_INITIALIZER;
static texture *textures;
static atomic_int texture_count;

/* ---- what is behind an object ---- */

/* Memory of a GPU begins at multiples of the alignment. */
static cudaError_t check_memory(const void *memory, const char *what)
{
    const memory_place place = cudart_memory_find((uintptr_t)memory);
    if (place.type == cudaMemoryTypeUnregistered)
        return cudart_fail(cudaErrorInvalidValue, "a texture of %s at %p, which is not device memory; was it freed?",
                           what, memory);
    const size_t offset = (uintptr_t)memory - place.address;
    return offset % TEXTURE_ALIGNMENT == 0
               ? cudaSuccess
               : cudart_fail(cudaErrorInvalidValue,
                             "a texture of %s at %p: that is %zu bytes after the beginning of its memory, which is not "
                             "a multiple of %d",
                             what, memory, offset, TEXTURE_ALIGNMENT);
}

/* One row of texels, read by number: what lies outside is 0. */
static cudaError_t read_linear(texture *made, struct cudaChannelFormatDesc *format, size_t texel)
{
    const size_t count = made->resource.res.linear.sizeInBytes / texel;
    if (count > 1 << 28)
        return cudart_fail(cudaErrorInvalidValue, "a texture of linear memory with %zu texels: at most %d are possible",
                           count, 1 << 28);
    *format = made->resource.res.linear.desc;
    made->address = (uintptr_t)made->resource.res.linear.devPtr;
    made->bytes = count * texel;
    made->seen->extent[0] = (int)count;
    return check_memory(made->resource.res.linear.devPtr, "linear memory");
}

static cudaError_t read_pitched(texture *made, struct cudaChannelFormatDesc *format, size_t texel)
{
    const size_t width = made->resource.res.pitch2D.width, height = made->resource.res.pitch2D.height,
                 pitch = made->resource.res.pitch2D.pitchInBytes;
    if (!width || !height || width > 131072 || height > 65000 || pitch % TEXTURE_PITCH || pitch < width * texel)
        return cudart_fail(
            cudaErrorInvalidValue,
            "a texture of %zu x %zu texels in rows of %zu bytes: at most 131072 x 65000 are possible, and "
            "the pitch is a multiple of %d bytes that holds a row",
            width, height, pitch, TEXTURE_PITCH);
    *format = made->resource.res.pitch2D.desc;
    made->address = (uintptr_t)made->resource.res.pitch2D.devPtr;
    made->bytes = pitch * (height - 1) + width * texel;
    made->seen->stride[1] = pitch;
    made->seen->extent[0] = (int)width;
    made->seen->extent[1] = (int)height;
    return check_memory(made->resource.res.pitch2D.devPtr, "pitched memory");
}

static cudaError_t read_array(texture *made, struct cudaChannelFormatDesc *format)
{
    struct cudaArray array;
    const cudaError_t failed = cudart_array_find(&array, made->resource.res.array.array);
    if (failed != cudaSuccess) return failed;
    *format = array.format;
    made->address = array.address;
    made->seen->stride[1] = array.pitch;
    made->seen->stride[2] = array.layer;
    made->seen->extent[0] = (int)array.extent.width;
    if (array.extent.height) made->seen->extent[1] = (int)array.extent.height;
    if (array.extent.depth) made->seen->extent[2] = (int)array.extent.depth;
    made->bytes = array.layer * (size_t)made->seen->extent[2];
    return cudaSuccess;
}

static cudaError_t read_resource(texture *made)
{
    size_t texel = 0;
    int channels = 0;
    struct cudaChannelFormatDesc format;
    cudaError_t failed = cudaSuccess;
    switch (made->resource.resType) {
    case cudaResourceTypeArray: failed = read_array(made, &format); break;
    case cudaResourceTypeLinear:
        failed = cudart_format_read(&texel, &channels, &made->resource.res.linear.desc);
        if (failed == cudaSuccess) failed = read_linear(made, &format, texel);
        break;
    case cudaResourceTypePitch2D:
        failed = cudart_format_read(&texel, &channels, &made->resource.res.pitch2D.desc);
        if (failed == cudaSuccess) failed = read_pitched(made, &format, texel);
        break;
    default:
        return cudart_fail(made->resource.resType == cudaResourceTypeMipmappedArray ? cudaErrorNotSupported
                                                                                    : cudaErrorInvalidValue,
                           "an object of the resource type %d: it can have an array, linear or pitched memory",
                           (int)made->resource.resType);
    }
    if (failed == cudaSuccess) failed = cudart_format_read(&texel, &channels, &format);
    if (failed != cudaSuccess) return failed;
    made->seen->address = made->address;
    made->seen->stride[0] = texel;
    made->seen->channels = channels;
    made->seen->bits = format.x;
    made->seen->kind = (int)format.f;
    return cudaSuccess;
}

/* ---- how it is read ---- */

/* What the border has in a channel, as a texel has it: of integers the low bits. */
static unsigned border_word(const cpu_texture *seen, float border)
{
    unsigned word;
    const int unused = 32 - seen->bits;
    const bool is_signed = seen->kind == CPU_TEXEL_SIGNED;
    memcpy(&word, &border, sizeof word);
    if (seen->kind == CPU_TEXEL_FLOAT) return word;
    if (seen->gives_float) {
        const float least = is_signed ? -1 : 0, one = (float)((1 << (seen->bits - is_signed)) - 1);
        return (unsigned)lrintf(fminf(fmaxf(border, least), 1) * one);
    }
    word <<= unused;
    return is_signed ? (unsigned)((int)word >> unused) : word >> unused;
}

static cudaError_t read_description(texture *made)
{
    cpu_texture *const seen = made->seen;
    const struct cudaTextureDesc *const of = &made->description;
    const bool is_float = seen->kind == CPU_TEXEL_FLOAT,
               is_linear_memory = made->resource.resType == cudaResourceTypeLinear;
    seen->gives_float = is_float || (of->readMode == cudaReadModeNormalizedFloat && seen->bits < 32);
    if (of->sRGB) return cudart_fail(cudaErrorNotSupported, "cudaCreateTextureObject: no sRGB here");
    if ((unsigned)of->filterMode > cudaFilterModeLinear || (unsigned)of->readMode > cudaReadModeNormalizedFloat)
        return cudart_fail(cudaErrorInvalidValue, "cudaCreateTextureObject: unknown filter mode %d or read mode %d",
                           (int)of->filterMode, (int)of->readMode);
    if (of->readMode == cudaReadModeNormalizedFloat && !seen->gives_float)
        return cudart_fail(cudaErrorInvalidNormSetting,
                           "cudaCreateTextureObject: integers of 32 bits cannot be read as numbers from 0 or -1 to 1: "
                           "read them as cudaReadModeElementType");
    if (of->filterMode == cudaFilterModeLinear && !seen->gives_float && !is_linear_memory)
        return cudart_fail(
            cudaErrorInvalidFilterSetting,
            "cudaCreateTextureObject: integers cannot be filtered; texels of 8 and 16 bits can if they are "
            "read as cudaReadModeNormalizedFloat");
    seen->is_linear = of->filterMode == cudaFilterModeLinear && !is_linear_memory;
    seen->is_normalized = of->normalizedCoords != 0 && !is_linear_memory;
    for (int i = 0; i < 3; i++) {
        if ((unsigned)of->addressMode[i] > cudaAddressModeBorder)
            return cudart_fail(cudaErrorInvalidValue, "cudaCreateTextureObject: unknown address mode %d",
                               (int)of->addressMode[i]);
        const bool goes_round =
            of->addressMode[i] == cudaAddressModeWrap || of->addressMode[i] == cudaAddressModeMirror;
        seen->mode[i] = is_linear_memory                     ? CPU_ADDRESS_BORDER
                        : goes_round && !seen->is_normalized ? CPU_ADDRESS_CLAMP
                                                             : (int)of->addressMode[i];
    }
    if (!is_linear_memory)
        for (int i = 0; i < 4; i++) seen->border[i] = border_word(seen, of->borderColor[i]);
    return cudaSuccess;
}

/* ---- objects ---- */

/* Where the list has the object; lock held. */
static texture **find(unsigned long long object, bool is_surface)
{
    texture **at = &textures;
    while (*at && ((uintptr_t)(*at)->seen != object || (*at)->is_surface != is_surface)) at = &(*at)->next;
    return at;
}

/* No wait: kernels that were launched may still read the cell, and the pool hands it out again after them. */
static lab_status discard(texture *made)
{
    const lab_status status = lab_pinned_mempool_free(made->cells, made->seen);
    free(made);
    return status;
}

/* A texture, or a surface if there is no description. */
static cudaError_t create(unsigned long long *object, const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *description)
{
    void *seen;
    texture *made = calloc(1, sizeof *made);
    lab_status status = made ? lab_device_current(&made->device) : LAB_ERROR_OUT_OF_MEMORY;
    if (status == LAB_SUCCESS)
        status = lab_pinned_mempool_alloc(&seen, made->cells = lab_pinned_mempool_default(), sizeof *made->seen);
    if (status != LAB_SUCCESS) {
        free(made);
        return cudart_end(status);
    }
    made->seen = seen;
    *made->seen = (cpu_texture){.extent = {1, 1, 1}};
    made->resource = *resource;
    made->is_surface = !description;
    cudaError_t failed = read_resource(made);
    if (failed == cudaSuccess && description) {
        made->description = *description;
        failed = read_description(made);
    }
    if (failed != cudaSuccess) {
        discard(made);
        return failed;
    }
    pthread_mutex_lock(&textures_lock);
    made->next = textures;
    textures = made;
    atomic_fetch_add(&texture_count, 1);
    pthread_mutex_unlock(&textures_lock);
    *object = (uintptr_t)made->seen;
    return cudaSuccess;
}

/* A GPU's code has fetches of its own, which need the driver's objects. */
static cudaError_t check_device(const char *call)
{
    int device;
    lab_device_info info;
    lab_status status = lab_device_current(&device);
    if (status == LAB_SUCCESS) status = lab_device_get_info(&info, device);
    if (status != LAB_SUCCESS) return cudart_end(status);
    return strcmp(info.kind, "cuda") != 0
               ? cudaSuccess
               : cudart_fail(
                     cudaErrorNotSupported,
                     "%s: texture and surface objects work on the CPU device alone: set LAB_DEVICE=cpu, or compile "
                     "the program with nvcc",
                     call);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object, const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *description, const struct cudaResourceViewDesc *view)
{
    CUDART_BEGIN;
    if (!object || !resource || !description)
        return cudart_fail(cudaErrorInvalidValue, "cudaCreateTextureObject: a pointer is NULL");
    if (view) return cudart_fail(cudaErrorNotSupported, "cudaCreateTextureObject: there are no views: pass NULL");
    const cudaError_t failed = check_device("cudaCreateTextureObject");
    return failed == cudaSuccess ? create(object, resource, description) : failed;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object, const struct cudaResourceDesc *resource)
{
    CUDART_BEGIN;
    if (!object || !resource || resource->resType != cudaResourceTypeArray)
        return cudart_fail(cudaErrorInvalidValue, "cudaCreateSurfaceObject: a surface is that of a CUDA array");
    const cudaError_t failed = check_device("cudaCreateSurfaceObject");
    return failed == cudaSuccess ? create(object, resource, NULL) : failed;
}

/* No object, 0, ends as NULL does. */
static cudaError_t destroy(unsigned long long object, bool is_surface)
{
    if (!object) return cudaSuccess;
    pthread_mutex_lock(&textures_lock);
    texture **const at = find(object, is_surface), *const found = *at;
    if (found) {
        *at = found->next;
        atomic_fetch_sub(&texture_count, 1);
    }
    pthread_mutex_unlock(&textures_lock);
    if (!found)
        return cudart_fail(cudaErrorInvalidValue, "0x%llx is not a %s object; was it destroyed?", object,
                           is_surface ? "surface" : "texture");
    return cudart_end(discard(found));
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    CUDART_BEGIN;
    return destroy(object, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    CUDART_BEGIN;
    return destroy(object, true);
}

void cudart_textures_forget(int device)
{
    pthread_mutex_lock(&textures_lock);
    for (texture **at = &textures; *at;) {
        texture *const object = *at;
        if (object->device == device) {
            *at = object->next;
            atomic_fetch_sub(&texture_count, 1);
            free(object);
        } else {
            at = &object->next;
        }
    }
    pthread_mutex_unlock(&textures_lock);
}

static cudaError_t describe(struct cudaResourceDesc *resource, struct cudaTextureDesc *description,
                            unsigned long long object, bool is_surface)
{
    pthread_mutex_lock(&textures_lock);
    const texture *const found = *find(object, is_surface);
    if (found && resource) *resource = found->resource;
    if (found && description) *description = found->description;
    pthread_mutex_unlock(&textures_lock);
    return found && (resource || description)
               ? cudaSuccess
               : cudart_fail(cudaErrorInvalidValue,
                             "0x%llx is not a %s object, or the place for its description is NULL", object,
                             is_surface ? "surface" : "texture");
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource, cudaTextureObject_t object)
{
    CUDART_BEGIN;
    return describe(resource, NULL, object, false);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *description, cudaTextureObject_t object)
{
    CUDART_BEGIN;
    return describe(NULL, description, object, false);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource, cudaSurfaceObject_t object)
{
    CUDART_BEGIN;
    return describe(resource, NULL, object, true);
}

/* ---- launches ---- */

/* What was freed is left to memcheck, and what is more than a launch can declare is left out. */
static void declare(uint64_t object)
{
    memory_place behind = {0};
    pthread_mutex_lock(&textures_lock);
    for (const texture *at = textures; at; at = at->next)
        if ((uintptr_t)at->seen == object) behind = (memory_place){.address = at->address, .bytes = at->bytes};
    pthread_mutex_unlock(&textures_lock);
    if (!behind.bytes) return;
    const memory_place place = cudart_memory_find(behind.address);
    if (place.type == cudaMemoryTypeUnregistered) return;
    const size_t left = place.bytes - (size_t)(behind.address - place.address);
    lab_next_uses(behind.address, behind.bytes < left ? behind.bytes : left, false);
}

void cudart_textures_declare(const lab_raw_args *raw)
{
    if (!atomic_load(&texture_count)) return;
    for (int i = 0; i < raw->args.count; i++)
        for (size_t at = 0; at + sizeof(uint64_t) <= raw->arg[i].size; at += sizeof(uint64_t)) {
            uint64_t word;
            memcpy(&word, (const char *)raw->arg[i].value.bytes + at, sizeof word);
            declare(word);
        }
}
