/* Writes a kernel's regions as functions, and the description by which a host thread runs its blocks. */
#ifndef LAB_CPU_SPLIT_WRITE_KERNEL_H
#define LAB_CPU_SPLIT_WRITE_KERNEL_H

#include "regions.h"

#include <stdio.h>

enum { ENTRY_PARAMS = 4 }; /* of a cpu_thread_entry */

/* The module around the kernels. */
typedef struct split_module {
    bool typed_pointers;  /* "float*" rather than "ptr" */
    int attributes;       /* the group of attributes for the next kernel's functions */
    int metadata;         /* the next free number of a metadata node */
    span thread_index[3]; /* the variables that hold threadIdx.x, .y and .z; length 0 if nothing reads it */
    bool whole_index;     /* all three are fields of one variable */
} split_module;

/* Writes the functions of a kernel k, given the types of the parameters of lab_thread_k. False when memory runs out. */
bool split_write_kernel(FILE *out, const ir_regions *r, split_module *module, const span entry_param[ENTRY_PARAMS]);

#endif
