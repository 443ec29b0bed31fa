/* Making arrays, and finding the array behind a handle. */
#ifndef LAB_ARRAYS_ARRAY_H
#define LAB_ARRAYS_ARRAY_H

#include "objects/work/array_object.h"

/* A new array with undefined contents in the given context; lab_array_empty uses the current one. */
lab_status array_make(lab_array **out, lab_dtype dtype, lab_shape shape, struct context *context, const char *call);

/* The array behind a handle; fails with a message that names the call. */
lab_status array_resolve(struct array **out, const lab_array *handle, const char *call);

#endif
