/* The __shared__ variables of a module, as the calling thread of the host has them, and which of their bytes the block
 * has written. */
#ifndef LAB_CPU_CHECKS_SHARED_MEMORY_H
#define LAB_CPU_CHECKS_SHARED_MEMORY_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

#include <stddef.h>
#include <stdint.h>

enum { SHARED_VARIABLES = 64 };

/* Variables beyond that number count as written, and as memory of all blocks. */
typedef struct shared_memory {
    cpu_window variable[SHARED_VARIABLES]; /* `written` is NULL if memory ran out */
    unsigned count;
    uintptr_t begin, end; /* around them all */
    size_t dynamic_shared;
} shared_memory;

/* Lists the variables, of which dynamic shared memory has so many bytes. Free the list in any case. */
void shared_memory_read(shared_memory *memory, const cpu_kernel *kernel, size_t dynamic_shared);
void shared_memory_free(shared_memory *memory);

/* A block begins: nothing is written. */
void shared_memory_begin(shared_memory *memory);

/* The variable that holds the address, or else NULL. */
static inline const cpu_window *shared_memory_at(const shared_memory *memory, uintptr_t address)
{
    if (address - memory->begin >= memory->end - memory->begin) return NULL;
    for (unsigned i = 0; i < memory->count; i++)
        if (address - memory->variable[i].address < memory->variable[i].bytes) return &memory->variable[i];
    return NULL;
}

#endif
