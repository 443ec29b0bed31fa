/* Where arrays get their memory. */
#ifndef LAB_POOLS_ALLOCATOR_H
#define LAB_POOLS_ALLOCATOR_H

#include "objects/context.h"

/* The allocator in force: the one of lab_set_allocator, else the default pool of the context. */
lab_status allocator_current(lab_allocator *out, struct context *of);

#endif
