/* Arrays above the seam: the object behind a lab_array handle. */
#ifndef LAB_ARRAYS_ARRAY_H
#define LAB_ARRAYS_ARRAY_H

#include "objects/runtime.h"

#include <stdatomic.h>

/* Device memory that arrays share; freed with the last of them. */
struct storage {
    atomic_int arrays;
    uint64_t address; /* 0 if it has no bytes */
    size_t bytes;
    struct context *context;
    lab_allocator from; /* what gave the memory, and takes it back */
    lab_stream *stream; /* on which it was asked for */
};

struct array {
    lab_dtype dtype;
    lab_shape shape;
    size_t count, bytes;
    uint64_t data; /* device address; 0 if the array has no elements */
    struct context *context;
    lab_array *handle;
    context_member member;
    struct storage *storage;
};

/* A new array with undefined contents on a given context; lab_array_empty is this on the current one. */
lab_status array_make(lab_array **out, lab_dtype dtype, lab_shape shape, struct context *on, const char *call);

/* The array behind a handle; fails with a message that names the call. */
lab_status array_resolve(struct array **out, const lab_array *handle, const char *call);

/* The array behind a handle, or NULL if it was destroyed or never created. */
struct array *array_get(const lab_array *handle);

#endif
