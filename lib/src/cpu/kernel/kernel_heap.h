/* The heap of checked kernels: what malloc() in a kernel gives, so that memcheck knows the bounds. Freed memory is kept
 * for a while: an access to it is an error, and racecheck does not take two owners of one address for a race. */
#ifndef LAB_CPU_KERNEL_KERNEL_HEAP_H
#define LAB_CPU_KERNEL_KERNEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Any host thread may call these. Allocation returns NULL when memory runs out. Release does nothing for NULL, and
 * returns false for an address that is not the beginning of an allocated block. */
void *kernel_heap_allocate(size_t bytes);
bool kernel_heap_release(void *memory);

/* Whether the bytes lie in one allocated block. */
bool kernel_heap_holds(uintptr_t address, size_t bytes);

#endif
