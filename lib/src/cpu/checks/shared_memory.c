#include "shared_memory.h"

#include "memcheck_text.h"

#include <stdlib.h>
#include <string.h>

static void add(void *user, const void *variable, unsigned long bytes, const char *name, cpu_space space)
{
    shared_memory *memory = user;
    if (memcheck_is_dynamic_shared(name)) bytes = memory->dynamic_shared;
    if (space != CPU_SPACE_SHARED || bytes == 0 || memory->count == SHARED_VARIABLES) return;
    const unsigned i = memory->count++;
    memory->variable[i] = (cpu_window){(uintptr_t)variable, bytes, malloc(bytes)};
    const uintptr_t begin = (uintptr_t)variable, end = begin + bytes;
    if (i == 0 || begin < memory->begin) memory->begin = begin;
    if (end > memory->end) memory->end = end;
}

void shared_memory_read(shared_memory *memory, const cpu_kernel *kernel, size_t dynamic_shared)
{
    *memory = (shared_memory){.dynamic_shared = dynamic_shared};
    kernel->variables(add, memory);
}

void shared_memory_free(shared_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++) free(memory->variable[i].written);
}

void shared_memory_begin(shared_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        if (memory->variable[i].written) memset(memory->variable[i].written, 0, memory->variable[i].bytes);
}
