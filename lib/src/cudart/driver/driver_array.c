/* The driver's CUDA arrays, copies of boxes, textures and surfaces: the runtime's, whose descriptions are others. */
#include "cudart/array.h"

#include <string.h>

/* The driver has no last error: that of the runtime stays what it was. */
#define BEGIN                                                                                                          \
    DRIVER_BEGIN(true);                                                                                                \
    const cudaError_t before = cudaPeekAtLastError()

/* Ends a call with what the runtime answered. The driver has fewer codes. */
static CUresult end(cudaError_t before, cudaError_t failed)
{
    cudart_restore_last_error(before);
    switch (failed) {
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting: return CUDA_ERROR_INVALID_VALUE;
    default: return (CUresult)failed;
    }
}

/* ---- formats ---- */

/* How a texel's channels are described. Half floats and what is unknown have no bits, which the runtime refuses. */
static struct cudaChannelFormatDesc format_of(CUarray_format format, unsigned channels)
{
    struct cudaChannelFormatDesc made = {.f = cudaChannelFormatKindUnsigned};
    int bits = 0;
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32: bits = 8 << (format - CU_AD_FORMAT_UNSIGNED_INT8); break;
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        made.f = cudaChannelFormatKindSigned;
        bits = 8 << (format - CU_AD_FORMAT_SIGNED_INT8);
        break;
    case CU_AD_FORMAT_FLOAT:
        made.f = cudaChannelFormatKindFloat;
        bits = 32;
        break;
    default: break;
    }
    int *const channel[] = {&made.x, &made.y, &made.z, &made.w};
    for (unsigned i = 0; i < channels && i < 4; i++) *channel[i] = bits;
    return made;
}

static CUarray_format format_back(const struct cudaChannelFormatDesc *format)
{
    const int width = format->x == 8 ? 0 : format->x == 16 ? 1 : 2;
    if (format->f == cudaChannelFormatKindFloat) return CU_AD_FORMAT_FLOAT;
    return (CUarray_format)((format->f == cudaChannelFormatKindSigned ? (int)CU_AD_FORMAT_SIGNED_INT8
                                                                      : (int)CU_AD_FORMAT_UNSIGNED_INT8) +
                            width);
}

/* ---- arrays ---- */

CUresult cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *of)
{
    BEGIN;
    if (!array || !of) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuArray3DCreate: a pointer is NULL");
    cudaArray_t made;
    const struct cudaChannelFormatDesc format = format_of(of->Format, of->NumChannels);
    const cudaError_t failed =
        cudaMalloc3DArray(&made, &format, make_cudaExtent(of->Width, of->Height, of->Depth), of->Flags);
    if (failed == cudaSuccess) *array = (CUarray)made;
    return end(before, failed);
}

CUresult cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *of)
{
    if (!array || !of) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuArrayCreate: a pointer is NULL");
    const CUDA_ARRAY3D_DESCRIPTOR flat = {of->Width, of->Height, 0, of->Format, of->NumChannels, 0};
    return cuArray3DCreate(array, &flat);
}

CUresult cuArrayDestroy(CUarray array)
{
    BEGIN;
    if (!array) return cudart_driver_fail(CUDA_ERROR_INVALID_HANDLE, "cuArrayDestroy: array is NULL");
    return end(before, cudaFreeArray((cudaArray_t)array));
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *of, CUarray array)
{
    BEGIN;
    struct cudaArray found;
    if (!of) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuArray3DGetDescriptor: descriptor is NULL");
    const cudaError_t failed = cudart_array_find(&found, (cudaArray_t)array);
    if (failed != cudaSuccess) return end(before, failed);
    const struct cudaChannelFormatDesc format = found.format;
    *of = (CUDA_ARRAY3D_DESCRIPTOR){
        .Width = found.extent.width,
        .Height = found.extent.height,
        .Depth = found.extent.depth,
        .Format = format_back(&format),
        .NumChannels = 1u + (format.y != 0) + (format.z != 0) + (format.w != 0),
        .Flags = found.flags,
    };
    return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *of, CUarray array)
{
    CUDA_ARRAY3D_DESCRIPTOR whole;
    if (!of) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuArrayGetDescriptor: descriptor is NULL");
    const CUresult failed = cuArray3DGetDescriptor(&whole, array);
    if (failed == CUDA_SUCCESS)
        *of = (CUDA_ARRAY_DESCRIPTOR){whole.Width, whole.Height, whole.Format, whole.NumChannels};
    return failed;
}

/* ---- copies of boxes ---- */

/* One side of a copy, as CUDA_MEMCPY3D describes it. */
typedef struct side {
    CUmemorytype type;
    uint64_t host;
    CUdeviceptr device;
    CUarray array;
    size_t x, y, z, pitch, height;
} side;

/* A pitch or height of 0 is that of the box. */
static cudaError_t place_side(copy_side *out, const side *from, copy_box box)
{
    if (from->type == CU_MEMORYTYPE_ARRAY)
        return cudart_array_side(out, (cudaArray_t)from->array, make_cudaPos(from->x, from->y, from->z), box);
    if (from->type < CU_MEMORYTYPE_HOST || from->type > CU_MEMORYTYPE_UNIFIED)
        return cudart_fail(cudaErrorInvalidValue, "a copy from or to the unknown memory type %d", (int)from->type);
    const size_t pitch = from->pitch ? from->pitch : box.width, height = from->height ? from->height : box.height;
    const uint64_t begin = from->type == CU_MEMORYTYPE_HOST ? from->host : from->device;
    *out = (copy_side){begin + from->x + pitch * (from->y + height * from->z), pitch, pitch * height};
    return cudaSuccess;
}

static bool is_on_device(const side *of) { return of->type == CU_MEMORYTYPE_DEVICE || of->type == CU_MEMORYTYPE_ARRAY; }

static CUresult copy_box_of(const CUDA_MEMCPY3D *copy, lab_stream *stream, bool waits)
{
    BEGIN;
    if (!copy) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "a copy without a description");
    const copy_box box = {copy->WidthInBytes, copy->Height, copy->Depth};
    const side from = {copy->srcMemoryType, (uintptr_t)copy->srcHost, copy->srcDevice,
                       copy->srcArray,      copy->srcXInBytes,        copy->srcY,
                       copy->srcZ,          copy->srcPitch,           copy->srcHeight},
               to = {copy->dstMemoryType, (uintptr_t)copy->dstHost, copy->dstDevice,
                     copy->dstArray,      copy->dstXInBytes,        copy->dstY,
                     copy->dstZ,          copy->dstPitch,           copy->dstHeight};
    const enum cudaMemcpyKind kind =
        from.type == CU_MEMORYTYPE_UNIFIED || to.type == CU_MEMORYTYPE_UNIFIED ? cudaMemcpyDefault
        : is_on_device(&from) ? is_on_device(&to) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost
        : is_on_device(&to)   ? cudaMemcpyHostToDevice
                              : cudaMemcpyHostToHost;
    copy_side from_side, to_side;
    cudaError_t failed = place_side(&from_side, &from, box);
    if (failed == cudaSuccess) failed = place_side(&to_side, &to, box);
    if (failed == cudaSuccess) failed = cudart_copy_box_enqueue(to_side, from_side, box, kind, stream, waits);
    return end(before, failed);
}

static CUresult copy_flat(const CUDA_MEMCPY2D *copy, lab_stream *stream, bool waits)
{
    if (!copy) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "a copy without a description");
    const CUDA_MEMCPY3D whole = {
        .srcXInBytes = copy->srcXInBytes,
        .srcY = copy->srcY,
        .srcMemoryType = copy->srcMemoryType,
        .srcHost = copy->srcHost,
        .srcDevice = copy->srcDevice,
        .srcArray = copy->srcArray,
        .srcPitch = copy->srcPitch,
        .dstXInBytes = copy->dstXInBytes,
        .dstY = copy->dstY,
        .dstMemoryType = copy->dstMemoryType,
        .dstHost = copy->dstHost,
        .dstDevice = copy->dstDevice,
        .dstArray = copy->dstArray,
        .dstPitch = copy->dstPitch,
        .WidthInBytes = copy->WidthInBytes,
        .Height = copy->Height,
        .Depth = 1,
    };
    return copy_box_of(&whole, stream, waits);
}

CUresult cuMemcpy3D(const CUDA_MEMCPY3D *copy) { return copy_box_of(copy, cudart_stream(0), true); }

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream)
{
    return copy_box_of(copy, cudart_stream(stream), false);
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D *copy) { return copy_flat(copy, cudart_stream(0), true); }

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy) { return copy_flat(copy, cudart_stream(0), true); }

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream)
{
    return copy_flat(copy, cudart_stream(stream), false);
}

/* ---- textures and surfaces ---- */

static struct cudaResourceDesc resource_of(const CUDA_RESOURCE_DESC *of)
{
    struct cudaResourceDesc made = {.resType = (enum cudaResourceType)of->resType};
    switch (of->resType) {
    case CU_RESOURCE_TYPE_ARRAY: made.res.array.array = (cudaArray_t)of->res.array.hArray; break;
    case CU_RESOURCE_TYPE_LINEAR:
        made.res.linear.devPtr = (void *)(uintptr_t)of->res.linear.devPtr;
        made.res.linear.desc = format_of(of->res.linear.format, of->res.linear.numChannels);
        made.res.linear.sizeInBytes = of->res.linear.sizeInBytes;
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        made.res.pitch2D.devPtr = (void *)(uintptr_t)of->res.pitch2D.devPtr;
        made.res.pitch2D.desc = format_of(of->res.pitch2D.format, of->res.pitch2D.numChannels);
        made.res.pitch2D.width = of->res.pitch2D.width;
        made.res.pitch2D.height = of->res.pitch2D.height;
        made.res.pitch2D.pitchInBytes = of->res.pitch2D.pitchInBytes;
        break;
    default: break;
    }
    return made;
}

/* Integers of 8 and 16 bits are read as numbers from 0 or -1 to 1, unless the flag says otherwise. */
static bool reads_numbers(const struct cudaResourceDesc *resource, unsigned flags)
{
    struct cudaArray array;
    struct cudaChannelFormatDesc format = resource->resType == cudaResourceTypeLinear ? resource->res.linear.desc
                                          : resource->resType == cudaResourceTypePitch2D
                                              ? resource->res.pitch2D.desc
                                              : (struct cudaChannelFormatDesc){0};
    if (resource->resType == cudaResourceTypeArray &&
        cudart_array_find(&array, resource->res.array.array) == cudaSuccess)
        format = array.format;
    return !(flags & CU_TRSF_READ_AS_INTEGER) && format.f != cudaChannelFormatKindFloat && format.x < 32;
}

CUresult cuTexObjectCreate(CUtexObject *object, const CUDA_RESOURCE_DESC *of, const CUDA_TEXTURE_DESC *how,
                           const CUDA_RESOURCE_VIEW_DESC *view)
{
    BEGIN;
    if (!object || !of || !how)
        return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuTexObjectCreate: a pointer is NULL");
    const struct cudaResourceDesc resource = resource_of(of);
    struct cudaTextureDesc description = {
        .filterMode = (enum cudaTextureFilterMode)how->filterMode,
        .readMode = reads_numbers(&resource, how->flags) ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
        .sRGB = (how->flags & CU_TRSF_SRGB) != 0,
        .normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
    };
    for (int i = 0; i < 3; i++) description.addressMode[i] = (enum cudaTextureAddressMode)how->addressMode[i];
    memcpy(description.borderColor, how->borderColor, sizeof how->borderColor);
    return end(before,
               cudaCreateTextureObject(object, &resource, &description, (const struct cudaResourceViewDesc *)view));
}

CUresult cuTexObjectDestroy(CUtexObject object)
{
    BEGIN;
    return end(before, cudaDestroyTextureObject(object));
}

CUresult cuSurfObjectCreate(CUsurfObject *object, const CUDA_RESOURCE_DESC *of)
{
    BEGIN;
    if (!object || !of) return cudart_driver_fail(CUDA_ERROR_INVALID_VALUE, "cuSurfObjectCreate: a pointer is NULL");
    const struct cudaResourceDesc resource = resource_of(of);
    return end(before, cudaCreateSurfaceObject(object, &resource));
}

CUresult cuSurfObjectDestroy(CUsurfObject object)
{
    BEGIN;
    return end(before, cudaDestroySurfaceObject(object));
}
