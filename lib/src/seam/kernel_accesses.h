/*
 * What the kernels of a source read and write, asked of clang without making code of them: for a device whose own compiler
 * does not tell. The answer is kept in the cache (cache.h). Knows no device; what clang makes of a source is what the CPU
 * device's kernels are made from, so both devices are told the same.
 *
 * A letter says what is done: n for neither reads nor writes, r, w, or b for both.
 */
#ifndef LAB_SEAM_KERNEL_ACCESSES_H
#define LAB_SEAM_KERNEL_ACCESSES_H

#include "kernel_scan.h"

typedef struct kernel_variable_access {
    const char *name; /* as C++ has it in compiled code: "_ZN5space5countE" */
    char letter;
} kernel_variable_access;

typedef struct kernel_access {
    const char *name;
    const char *params; /* a letter each; "" if they are not known */
    int variables;      /* of the module, as far as the kernel uses them */
    const kernel_variable_access *variable;
} kernel_access;

typedef struct kernel_accesses {
    int kernels;
    kernel_access *kernel;
    kernel_variable_access *variable; /* of all kernels, one after another */
    char *text;                       /* holds the names */
} kernel_accesses;

/* `name` is the source's; files included in quotes are looked for in its folder. Without kernels if nobody can tell: there
 * is no clang, or it does not accept the source. That is no failure: the thread's message is left alone. False when memory runs out. To be
 * freed either way. */
bool kernel_accesses_find(kernel_accesses *out, const kernel_scan *scan, const char *name);
void kernel_accesses_free(kernel_accesses *of);

/* NULL if there is none of this name. */
const kernel_access *kernel_accesses_of(const kernel_accesses *of, const char *kernel);

#endif
