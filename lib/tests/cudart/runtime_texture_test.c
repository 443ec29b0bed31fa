/* CUDA arrays, texture and surface objects: copies, and what is refused. What fetches give is in
 * lib/tests/labcc/textures.cu. */
#include "kit.h"

#include <string.h>

enum { WIDTH = 5, ROWS = 3, LAYERS = 2, ROW = WIDTH * sizeof(short) };

static cudaArray_t array_of(struct cudaExtent extent, unsigned flags)
{
    cudaArray_t array;
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned);
    MUST(cudaMalloc3DArray(&array, &format, extent, flags));
    return array;
}

Test(textures, what_was_copied_to_an_array_comes_back)
{
    short texels[LAYERS][ROWS][WIDTH], back[LAYERS][ROWS][WIDTH], part[2][2];
    for (int i = 0; i < LAYERS * ROWS * WIDTH; i++) (&texels[0][0][0])[i] = (short)(100 + i);
    const cudaArray_t deep = array_of(make_cudaExtent(WIDTH, ROWS, LAYERS), 0);
    struct cudaMemcpy3DParms copy = {.srcPtr = make_cudaPitchedPtr(texels, ROW, WIDTH, ROWS),
                                     .dstArray = deep,
                                     .extent = make_cudaExtent(WIDTH, ROWS, LAYERS),
                                     .kind = cudaMemcpyHostToDevice};
    MUST(cudaMemcpy3D(&copy));
    copy = (struct cudaMemcpy3DParms){.srcArray = deep,
                                      .dstPtr = make_cudaPitchedPtr(back, ROW, WIDTH, ROWS),
                                      .extent = make_cudaExtent(WIDTH, ROWS, LAYERS),
                                      .kind = cudaMemcpyDeviceToHost};
    MUST(cudaMemcpy3D(&copy));
    cr_assert_eq(memcmp(back, texels, sizeof texels), 0);

    const cudaArray_t flat = array_of(make_cudaExtent(WIDTH, ROWS, 0), 0);
    MUST(cudaMemcpyToArray(flat, 0, 0, texels[1], sizeof texels[1], cudaMemcpyHostToDevice));
    MUST(cudaMemcpy2DToArray(flat, 2 * sizeof(short), 1, texels[0], ROW, 2 * sizeof(short), 2, cudaMemcpyHostToDevice));
    MUST(cudaMemcpyFromArray(back, flat, 0, 0, sizeof back[0], cudaMemcpyDeviceToHost));
    MUST(
        cudaMemcpy2DFromArray(part, sizeof part[0], flat, sizeof(short), 0, sizeof part[0], 2, cudaMemcpyDeviceToHost));
    cr_assert_eq(memcmp(back[0][0], texels[1][0], ROW), 0);
    cr_assert(back[0][1][1] == texels[1][1][1] && back[0][1][2] == texels[0][0][0] && back[0][2][3] == texels[0][1][1]);
    cr_assert(part[0][0] == texels[1][0][1] && part[1][1] == texels[0][0][0]);
    MUST(cudaFreeArray(deep));
    MUST(cudaFreeArray(flat));
}

Test(textures, a_copy_between_arrays_of_other_texels_or_of_more_bytes_than_there_are_is_refused)
{
    cudaArray_t wide;
    const struct cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindFloat);
    MUST(cudaMallocArray(&wide, &format, WIDTH, ROWS, 0));
    const cudaArray_t narrow = array_of(make_cudaExtent(WIDTH, ROWS, 0), 0);
    struct cudaMemcpy3DParms copy = {
        .srcArray = wide, .dstArray = narrow, .extent = make_cudaExtent(1, 1, 1), .kind = cudaMemcpyDeviceToDevice};
    cr_assert_eq(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
    copy.srcArray = narrow;
    MUST(cudaMemcpy3D(&copy));
    copy.extent.width = ((size_t)1 << 63) + 1; /* bytes: 2 */
    cr_assert_eq(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
    MUST(cudaFreeArray(wide));
    MUST(cudaFreeArray(narrow));
}

Test(textures, a_reset_ends_arrays_and_objects)
{
    cudaTextureObject_t texture;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc description = {.filterMode = cudaFilterModePoint};
    resource.res.array.array = array_of(make_cudaExtent(WIDTH, ROWS, 0), 0);
    MUST(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    MUST(cudaDeviceReset());
    cr_assert_eq(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
    cr_assert_eq(cudaFreeArray(resource.res.array.array), cudaErrorInvalidResourceHandle);
}

Test(textures, copies_beyond_an_array_and_arrays_that_cannot_be_are_refused)
{
    short texels[WIDTH];
    struct cudaChannelFormatDesc format = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindSigned);
    cudaArray_t array = array_of(make_cudaExtent(WIDTH, ROWS, 0), 0), other;
    cr_assert_eq(cudaMemcpy2DToArray(array, 2, 0, texels, ROW, ROW, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpy2DToArray(array, 0, ROWS, texels, ROW, ROW, 1, cudaMemcpyHostToDevice),
                 cudaErrorInvalidValue);
    cr_assert_eq(cudaMemcpyToArray(array, 2, 0, texels, ROW, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    cr_assert_eq(cudaMallocArray(&other, &format, 0, ROWS, 0), cudaErrorInvalidValue);
    cr_assert_eq(cudaMallocArray(&other, &format, 1 << 20, ROWS, 0), cudaErrorInvalidValue);
    cr_assert_eq(cudaMalloc3DArray(&other, &format, make_cudaExtent(4, 4, 6), cudaArrayCubemap), cudaErrorNotSupported);
    format = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    cr_assert_eq(cudaMallocArray(&other, &format, WIDTH, ROWS, 0), cudaErrorInvalidChannelDescriptor);
    MUST(cudaFreeArray(array));
    cr_assert_eq(cudaFreeArray(array), cudaErrorInvalidResourceHandle);
}

Test(textures, objects_that_cannot_be_are_refused_and_an_object_ends_once)
{
    void *memory;
    cudaTextureObject_t texture, surface;
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray}, told;
    struct cudaTextureDesc description = {.filterMode = cudaFilterModeLinear};
    resource.res.array.array = array_of(make_cudaExtent(WIDTH, ROWS, 0), 0);
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidFilterSetting);
    MUST(cudaCreateSurfaceObject(&surface, &resource)); /* whatever the array's flags are, as on an H200 */
    cr_assert_eq(cudaDestroyTextureObject(surface), cudaErrorInvalidValue);
    MUST(cudaDestroySurfaceObject(surface));
    description.readMode = cudaReadModeNormalizedFloat;
    MUST(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    MUST(cudaGetTextureObjectResourceDesc(&told, texture));
    cr_assert_eq(told.res.array.array, resource.res.array.array);
    cr_assert_eq(cudaDestroySurfaceObject(texture), cudaErrorInvalidValue);
    MUST(cudaDestroyTextureObject(texture));
    cr_assert_eq(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
    MUST(cudaDestroyTextureObject(0));
    MUST(cudaFreeArray(resource.res.array.array));
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidResourceHandle);

    MUST(cudaMalloc(&memory, 1024));
    resource = (struct cudaResourceDesc){.resType = cudaResourceTypeLinear};
    resource.res.linear.devPtr = (char *)memory + 4;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    resource.res.linear.sizeInBytes = 512;
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidValue);
    resource.res.linear.devPtr = (char *)memory + 256; /* a multiple of a GPU's 512 bytes is what it must be */
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidValue);
    resource.res.linear.devPtr = &resource;
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidValue);
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidNormSetting);
    description.readMode = cudaReadModeElementType;
    resource.res.linear.sizeInBytes = 0;
    MUST(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    MUST(cudaDestroyTextureObject(texture));
    MUST(cudaFree(memory));
    cr_assert_eq(cudaCreateTextureObject(&texture, &resource, &description, NULL), cudaErrorInvalidValue);
}
