/*
 * What the kernels of a source read and write. clang finds it without generating code, for a device whose own compiler
 * does not. The answer is kept in the cache (cache.h). Independent of the device: the CPU device's kernels are compiled
 * from the same IR, so both devices get the same answer.
 *
 * Each access is a letter: n for none, r for reads, w for writes, b for both.
 */
#ifndef LAB_SEAM_KERNEL_ACCESSES_H
#define LAB_SEAM_KERNEL_ACCESSES_H

#include "kernel_scan.h"

typedef struct kernel_variable_access {
    const char *name; /* the mangled C++ name: "_ZN5space5countE" */
    char letter;
} kernel_variable_access;

typedef struct kernel_access {
    const char *name;
    const char *params; /* one letter for each; "" if unknown */
    int variables;      /* the variables of the module that the kernel uses */
    const kernel_variable_access *variable;
} kernel_access;

typedef struct kernel_accesses {
    int kernels;
    kernel_access *kernel;
    kernel_variable_access *variable; /* of all kernels, one after another */
    char *text;                       /* holds the names */
} kernel_accesses;

/* `name` is the source's file name; files included in quotes are looked up in its folder. The result has no kernels if
 * there is no clang or it does not accept the source. That is not a failure: the thread's message stays. False when
 * memory runs out. Call kernel_accesses_free in either case. */
bool kernel_accesses_find(kernel_accesses *out, const kernel_scan *scan, const char *name);

/* The same for the code of a program that labcc compiled: the first part of its image. A kernel's name is that of its
 * function in this code. */
bool kernel_accesses_find_in_code(kernel_accesses *out, const char *code);
void kernel_accesses_free(kernel_accesses *accesses);

/* NULL if there is no kernel of this name. */
const kernel_access *kernel_accesses_of(const kernel_accesses *accesses, const char *kernel);

#endif
