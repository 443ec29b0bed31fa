/*
 * What the library reads from a kernel source before it compiles it: which kernels it defines, with what parameter
 * names, and whether it includes files of its own. Reads tokens, skipping comments, strings and preprocessor lines;
 * knows no types and expands no macros.
 */
#ifndef LAB_CPU_SCAN_H
#define LAB_CPU_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cpu_scanned_kernel {
    char *name;
    int line;
    int params;
    char **param; /* names, "" where the source gives none */
} cpu_scanned_kernel;

typedef struct cpu_scan {
    /* What to compile, line for line: `extern __shared__` rewritten, and headers refused that kernels have not. */
    char *source;
    size_t source_size;
    int kernels; /* the __global__ functions that have a body and are no templates; each name once */
    cpu_scanned_kernel *kernel;
    bool uses_dynamic_shared;
    bool includes_files; /* by name in quotes, or in a way only the preprocessor understands */
} cpu_scan;

/* Of kernels with one name, as under #if and #else, the first is listed. False when memory runs out. */
bool cpu_scan_source(cpu_scan *scan, const char *source);

void cpu_scan_free(cpu_scan *scan);

#endif
