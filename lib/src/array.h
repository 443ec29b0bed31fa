/* Arrays above the seam: the object behind a lab_array handle. */
#ifndef LAB_SRC_ARRAY_H
#define LAB_SRC_ARRAY_H

#include "runtime.h"

struct array {
    lab_dtype dtype;
    lab_shape shape;
    size_t count, bytes;
    uint64_t data; /* device address; 0 if the array has no elements */
    struct context *context;
    lab_array *handle;
    context_member member;
};

/* The array behind a handle, or NULL if it was destroyed or never created. */
struct array *array_get(const lab_array *handle);

#endif
