/* The headers that kernels may include on every device: the usual ones of CUDA and C. None is read from a file. What
 * they define precedes the kernel source, and the scan removes the lines that include them. */
#ifndef LAB_SEAM_KERNEL_HEADERS_H
#define LAB_SEAM_KERNEL_HEADERS_H

#include <stddef.h>
#include <stdio.h>

/* What precedes a source only if it includes the header: it takes long to compile, or its names are often defined by
 * kernels themselves. */
enum {
    KERNEL_HEADER_INTEGERS = 1, /* stdint.h */
    KERNEL_HEADER_GROUPS = 2,   /* cooperative_groups.h and the headers in its folder */
    KERNEL_HEADER_PIPELINE = 4, /* cuda_pipeline.h */
    KERNEL_HEADER_HALF = 8,     /* cuda_fp16.h and cuda_bf16.h, which each device has in its own form */
    KERNEL_HEADER_COMPLEX = 16, /* cuComplex.h */
};

typedef struct kernel_header {
    const char *name;
    unsigned needs;
} kernel_header;

/* All of them, NULL last. */
extern const kernel_header kernel_headers[];

/* The header of this name, or NULL. */
const kernel_header *kernel_headers_find(const char *name, size_t length);

/* cooperative_groups.h, for programs of labcc, which have it in any case. */
extern const char kernel_headers_groups[];

/* Writes what precedes a source with these needs. The device may have another text for some of them. */
void kernel_headers_write(FILE *out, unsigned needs);

#endif
