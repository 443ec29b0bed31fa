/* The allocator that gives arrays their memory. */
#ifndef LAB_POOLS_ALLOCATOR_H
#define LAB_POOLS_ALLOCATOR_H

#include "objects/contexts/context.h"

/* The current allocator: the one set by lab_set_allocator, else the default pool of the context. */
lab_status allocator_current(lab_allocator *out, struct context *context);

#endif
