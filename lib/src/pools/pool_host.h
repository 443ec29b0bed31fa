/* Host memory for the pools' own lists. A test can make any one of its allocations fail. */
#ifndef LAB_POOLS_POOL_HOST_H
#define LAB_POOLS_POOL_HOST_H

#include <stddef.h>

/* count objects of the size, all bytes 0; NULL if memory ran out. */
void *pool_host_zeros(size_t count, size_t bytes);

void pool_host_free(void *memory);

/* For tests: the allocation number `which` from now on fails, 1 being the next; 0 means that none does. */
void pool_host_fail(long which);

/* For tests: whether the failure asked for has happened. */
int pool_host_failed(void);

#endif
