/* The program's memory where it is this process's own, and the choice between that and another way. */
#include "host_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

const host_memory_access *host_memory_other;

void host_memory_use(const host_memory_access *access) { host_memory_other = access; }

bool host_memory_exists(uint64_t address, size_t bytes)
{
    if (!host_memory_is_own()) return host_memory_other->exists(address, bytes);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)address / page * page;
    /* The call has no other effect here: it fails with ENOMEM if a page is not mapped. */
    return msync((void *)first, (uintptr_t)address + bytes - first, MS_ASYNC) == 0;
}

bool host_memory_pinned_alloc(uint64_t *address, size_t bytes)
{
    if (host_memory_other) return host_memory_other->pinned_alloc(address, bytes);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED) return false;
    *address = (uintptr_t)memory;
    return true;
}

void host_memory_pinned_free(uint64_t address, size_t bytes)
{
    if (host_memory_other)
        host_memory_other->pinned_free(address, bytes);
    else
        munmap((void *)(uintptr_t)address, bytes);
}

void host_memory_say_gone(char text[HOST_MEMORY_GONE_WORDS], bool read, uint64_t address, size_t bytes)
{
    snprintf(text, HOST_MEMORY_GONE_WORDS,
             "a copy of %zu bytes %s host memory at 0x%" PRIx64 ": the program has ended, or part of the memory is not "
             "its own",
             bytes, read ? "from" : "to", address);
}
