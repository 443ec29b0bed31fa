/*
 * What the devices read from a kernel source before they compile it: the kernels it defines, their parameters' names,
 * and whether it includes files of its own. Reads tokens, skipping comments, strings and preprocessor lines; knows no
 * types and expands no macros. Also writes the source's names into the text that is compiled.
 */
#ifndef LAB_SEAM_KERNEL_SCAN_H
#define LAB_SEAM_KERNEL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct scanned_kernel {
    char *name;
    int line;
    bool is_defined; /* a body follows */
    int params;
    char **param;                /* names, "" where the source gives none; NULL if they are unknown */
    const char *head, *head_end; /* in the scanned text, from __global__ to the name */
} scanned_kernel;

typedef struct kernel_scan {
    /* The text to compile, line for line: `extern __shared__` is rewritten, includes of headers that every device has
     * are removed, and what the CPU device has not (some of CUDA's headers, launches) becomes an error that says so. */
    char *source;
    size_t source_size;
    char *plain; /* without the headers that every device has, and else unchanged, for a GPU's compiler */
    int kernels; /* the __global__ functions that have a body and are not templates; each name once */
    scanned_kernel *kernel;
    bool uses_dynamic_shared;
    bool includes_files; /* of its own: by name in quotes, or in a form that only the preprocessor understands */
    unsigned needs;      /* of the headers that it includes, as in kernel_headers.h: all, if it includes files */
} kernel_scan;

/* Of several kernels with one name, as under #if and #else, only the first is listed. False when memory runs out. */
bool kernel_scan_source(kernel_scan *scan, const char *source);

/* Lists the kernels alone, with templates, declarations and all of those that share a name. */
bool kernel_scan_heads(kernel_scan *scan, const char *source);

void kernel_scan_free(kernel_scan *scan);

/* Writes the name of a file or parameter as a C string, with question marks for control characters. */
void kernel_scan_write_name(FILE *out, const char *name);

#endif
