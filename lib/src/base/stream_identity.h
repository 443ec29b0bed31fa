/* Identifies a stream by number, for rooms below the stream objects, and says which of CUDA's rules apply to it. */
#ifndef LAB_BASE_STREAM_IDENTITY_H
#define LAB_BASE_STREAM_IDENTITY_H

#include "base/call_site.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct stream_identity {
    uint64_t id;      /* never reused */
    uint64_t context; /* the number of its context */
    int device;
    int priority;
    bool null;     /* the context's legacy default stream */
    bool blocking; /* synchronises with the null stream */
    call_site made;
} stream_identity;

#endif
