/* The allocator that gives arrays their memory. */
#ifndef LAB_POOLS_ALLOCATOR_H
#define LAB_POOLS_ALLOCATOR_H

#include "objects/contexts/context.h"

/* The current allocator: the calling thread's own, else the one set by lab_set_allocator, else the default pool of the
 * context. */
lab_status allocator_current(lab_allocator *out, struct context *context);

/* The allocator that a pool is, given the pool's handle, which may have been destroyed. */
lab_allocator allocator_of_pool(uint64_t handle);

#endif
