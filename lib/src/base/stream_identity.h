/* A stream by number, for rooms that know no objects: which stream, in which context, under which of CUDA's rules. */
#ifndef LAB_BASE_STREAM_IDENTITY_H
#define LAB_BASE_STREAM_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct stream_identity {
    uint64_t id;      /* never used again */
    uint64_t context; /* its context's number */
    int device;
    bool null;     /* the context's legacy default stream */
    bool blocking; /* takes part in the null stream's rules */
} stream_identity;

#endif
