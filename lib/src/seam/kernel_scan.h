/*
 * What the devices read from a kernel source before they compile it: which kernels it defines, with what parameter
 * names, and whether it includes files of its own. Reads tokens, skipping comments, strings and preprocessor lines;
 * knows no types and expands no macros. Also how they write its names into what they compile.
 */
#ifndef LAB_SEAM_KERNEL_SCAN_H
#define LAB_SEAM_KERNEL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct scanned_kernel {
    char *name;
    int line;
    int params;
    char **param; /* names, "" where the source gives none */
} scanned_kernel;

typedef struct kernel_scan {
    /* What to compile, line for line: `extern __shared__` rewritten, and headers refused that kernels have not. */
    char *source;
    size_t source_size;
    char *plain; /* the same without the first of the two: for a compiler that knows shared memory */
    int kernels; /* the __global__ functions that have a body and are no templates; each name once */
    scanned_kernel *kernel;
    bool uses_dynamic_shared;
    bool includes_files; /* by name in quotes, or in a way only the preprocessor understands */
} kernel_scan;

/* Of kernels with one name, as under #if and #else, the first is listed. False when memory runs out. */
bool kernel_scan_source(kernel_scan *scan, const char *source);

void kernel_scan_free(kernel_scan *scan);

/* Writes the name of a file or of a parameter as a string of C, with question marks for control characters. */
void kernel_scan_write_name(FILE *out, const char *name);

#endif
