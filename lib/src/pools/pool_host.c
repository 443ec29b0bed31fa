/* calloc and free, and a countdown to one failure. */
#include "pool_host.h"

#include <stdatomic.h>
#include <stdlib.h>

static atomic_long until_failure; /* 0: no failure is asked for, or it has happened */
static atomic_int failed;

void *pool_host_zeros(size_t count, size_t bytes)
{
    if (atomic_load_explicit(&until_failure, memory_order_relaxed) > 0 && atomic_fetch_sub(&until_failure, 1) == 1) {
        atomic_store(&failed, 1);
        return NULL;
    }
    return calloc(count, bytes);
}

void pool_host_free(void *memory) { free(memory); }

void pool_host_fail(long which)
{
    atomic_store(&failed, 0);
    atomic_store(&until_failure, which);
}

int pool_host_failed(void) { return atomic_load(&failed); }
