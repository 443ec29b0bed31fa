/* CUDA arrays: device memory in rows, which textures, surfaces and copies alone can name. */
#ifndef LAB_CUDART_ARRAY_H
#define LAB_CUDART_ARRAY_H

#include "cudart.h"

struct cudaArray {
    struct cudaArray *next;
    int device;
    lab_deviceptr address;
    size_t texel, pitch, layer; /* bytes */
    struct cudaExtent extent;   /* as the program gave it: 0 where there is no such axis */
    struct cudaChannelFormatDesc format;
    unsigned flags;
};

/* The bytes of a texel. *channels: how many it has; fails for a format that no texture can have. */
cudaError_t cudart_format_read(size_t *texel, int *channels, const struct cudaChannelFormatDesc *format);

/* A copy of what the handle stands for. Fails if it is not an array, such as one that was freed. */
cudaError_t cudart_array_find(struct cudaArray *found, cudaArray_const_t array);
cudaError_t cudart_array_texel(size_t *texel, cudaArray_const_t array);

/* The device was reset: its arrays are gone. */
void cudart_arrays_forget(int device);

/* The sides and the box of cudaMemcpy3D's copy, either side memory or a CUDA array. */
cudaError_t cudart_copy_of(copy_side *to, copy_side *from, copy_box *box, const struct cudaMemcpy3DParms *copy);

/* The side of a copy that an array is. `at` and the box count bytes, rows and layers, and must lie in the array. */
cudaError_t cudart_array_side(copy_side *side, cudaArray_const_t array, struct cudaPos at, copy_box box);

#endif
