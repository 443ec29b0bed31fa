/* The words for a bad access: what it does, where, and what is near. Knows the ledger and a module's variables. */
#ifndef LAB_CPU_CHECKS_MEMCHECK_TEXT_H
#define LAB_CPU_CHECKS_MEMCHECK_TEXT_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

#include <stddef.h>
#include <stdint.h>

enum { MEMCHECK_WORDS = 768 };

/* The launch whose kernel makes the access. */
typedef struct memcheck_scene {
    uint64_t ledger_count; /* at the launch */
    size_t dynamic_shared; /* bytes */
} memcheck_scene;

/* "writes 4 bytes at 0x7f0010, 12 bytes past the end of the 4096 bytes allocated at lab03.c:31" */
cpu_failure_kind memcheck_describe(char text[MEMCHECK_WORDS], const cpu_kernel *kernel, const cpu_access *access,
                                   const memcheck_scene *scene);

/* "12 bytes into the __shared__ variable 'tile' of 256 bytes": memory that may be accessed. */
void memcheck_name(char *text, size_t capacity, const cpu_kernel *kernel, uintptr_t address, size_t bytes,
                   const memcheck_scene *scene);

/* Whether a variable that a module lists is its dynamic shared memory. */
bool memcheck_is_dynamic_shared(const char *name);

#endif
