/* Making arrays and views, and finding the array behind a handle. */
#ifndef LAB_ARRAYS_ARRAY_H
#define LAB_ARRAYS_ARRAY_H

#include "objects/work/array_object.h"

/* A new array with undefined contents in the given context; lab_array_empty uses the current one. */
lab_status array_make(lab_array **out, lab_dtype dtype, lab_shape shape, struct context *context, const char *call);

/* The array behind a handle; fails with a message that names the call. */
lab_status array_resolve(struct array **out, const lab_array *handle, const char *call);

/* Makes an array with these properties, which shares its storage with the array that they are from. */
lab_status array_view(lab_array **out, const struct array *view, const char *call);

/* Sets what follows from an array's type, shape, count and strides; and the strides of elements side by side before. */
void array_measure(struct array *array);
void array_lay_out(struct array *array);

/* The number of elements of a shape; fails if the shape is malformed or its bytes do not fit in a size_t. */
lab_status array_count_elements(size_t *count, lab_shape shape, size_t element_bytes, const char *call);

#endif
