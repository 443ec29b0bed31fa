/* The object behind a lab_array handle. It is here because launches take arrays as arguments. */
#ifndef LAB_OBJECTS_WORK_ARRAY_OBJECT_H
#define LAB_OBJECTS_WORK_ARRAY_OBJECT_H

#include "base/handle.h"
#include "objects/contexts/context.h"
#include "objects/contexts/ranges.h"

/* Device memory that arrays share. The last of them frees it. */
struct storage {
    retired retired;
    atomic_int arrays; /* 0 once it is given back */
    uint64_t address;  /* 0 if `bytes` is 0 */
    size_t bytes;
    range memory; /* its allocation or block, which stays while arrays share it: launches need not look for it */
    struct context *context;
    lab_allocator allocator; /* of the memory; of memory that the program gave, its owner, without functions if none */
    lab_stream *stream;      /* on which it was allocated */
    bool given;              /* the program gave the memory, and may free it before the arrays end */
};

struct array {
    retired retired;
    lab_dtype dtype;
    lab_shape shape;
    size_t count, bytes;               /* of its elements */
    size_t stride[LAB_MAX_DIMENSIONS]; /* in elements */
    bool strided;                      /* the elements are not side by side in the order of their indices */
    size_t span;                       /* bytes from the first element to the end of the last */
    uint64_t data;                     /* device address; 0 if the array has no elements */
    struct context *context;
    lab_array *handle;
    context_member member;
    struct storage *storage;
};

/* The array behind a handle, or NULL if it was destroyed or never created. */
static inline struct array *array_get(const lab_array *handle) { return handle_get(HANDLE_ARRAY, (uintptr_t)handle); }

#endif
