/* A kernel's regions, written as the functions and the description by which a host thread runs its blocks. */
#ifndef LAB_CPU_SPLIT_IR_SPLIT_WRITE_H
#define LAB_CPU_SPLIT_IR_SPLIT_WRITE_H

#include "ir_regions.h"

#include <stdio.h>

/* What the module around the kernel gives. */
typedef struct ir_split_context {
    bool typed_pointers;  /* "float*" rather than "ptr" */
    int attributes;       /* the group of attributes for the functions written */
    int metadata;         /* the next number that is free */
    span thread_index[3]; /* pointers to where threadIdx is, as operands of a store; length 0: nothing reads it */
    span thread_entry;    /* the definition of lab_thread_k */
    bool out_of_memory;
} ir_split_context;

bool ir_split_write(FILE *out, const ir_regions *r, ir_split_context *context);

#endif
