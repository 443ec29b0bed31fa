/* The functions that allocate, wrapped: lib.mk has the linker pass their calls through here. */
#include "failing_allocations.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static _Thread_local bool counts; /* this thread's allocations are numbered 1, 2, ... */
static long allocations;
static long first_failing, last_failing; /* 0: none */

void allocations_fail(long first, long last)
{
    allocations = 0;
    first_failing = first;
    last_failing = last;
}

void allocations_count(bool on) { counts = on; }

bool allocations_failed(void) { return first_failing && allocations >= first_failing; }

static bool fails(void)
{
    if (!counts) return false;
    allocations++;
    return first_failing && allocations >= first_failing && allocations <= last_failing;
}

static void *out_of_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

#define WRAP(result, name, parameters, arguments, failure)                                                             \
    result __real_##name parameters;                                                                                   \
    result __wrap_##name parameters;                                                                                   \
    result __wrap_##name parameters { return fails() ? (result)(failure) : __real_##name arguments; }

WRAP(void *, malloc, (size_t bytes), (bytes), out_of_memory())
WRAP(void *, calloc, (size_t count, size_t bytes), (count, bytes), out_of_memory())
WRAP(void *, realloc, (void *before, size_t bytes), (before, bytes), out_of_memory())
WRAP(void *, reallocarray, (void *before, size_t count, size_t bytes), (before, count, bytes), out_of_memory())
WRAP(char *, strdup, (const char *text), (text), out_of_memory())
WRAP(char *, strndup, (const char *text, size_t bytes), (text, bytes), out_of_memory())
WRAP(int, posix_memalign, (void **out, size_t alignment, size_t bytes), (out, alignment, bytes), ENOMEM)
WRAP(FILE *, open_memstream, (char **text, size_t *bytes), (text, bytes), out_of_memory())
WRAP(ssize_t, getdelim, (char **text, size_t *bytes, int end, FILE *file), (text, bytes, end, file),
     (out_of_memory(), -1))
WRAP(void *, mmap, (void *at, size_t bytes, int protection, int flags, int file, off_t offset),
     (at, bytes, protection, flags, file, offset), (out_of_memory(), MAP_FAILED))
WRAP(int, memfd_create, (const char *name, unsigned flags), (name, flags), (out_of_memory(), -1))

int __wrap_asprintf(char **out, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **out, const char *format, ...)
{
    if (fails()) return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(out, format, arguments);
    va_end(arguments);
    return length;
}
