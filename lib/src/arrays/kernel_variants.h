/*
 * Kernels made for one choice of types: each is written and compiled when it is first needed, once a context, and kept.
 * Knows nothing of what the text says.
 */
#ifndef LAB_ARRAYS_KERNEL_VARIANTS_H
#define LAB_ARRAYS_KERNEL_VARIANTS_H

#include "operands.h"

#include <pthread.h>

typedef struct specialization specialization;

typedef struct specializations {
    pthread_mutex_t lock;
    specialization *first;
} specializations;

/* Writes a kernel's text, from the prelude's end on, for these operands. */
typedef void (*kernel_writer)(FILE *out, const void *maker, const operands *of);

/* The kernel for these operands in a context: found, or written by `write(out, maker, of)`, compiled and kept. */
lab_status specialize(lab_function *out, specializations *all, const operands *of, struct context *on,
                      kernel_writer write, const void *maker);

/* Unloads all of them. */
void specializations_unload(specializations *all);

/* Text of the program's own inside a generated kernel, in braces of its own if it is a body: compiler messages count
 * its lines from 1. */
void write_own_text(FILE *out, const operands *of, const char *before, const char *text, const char *after);

#endif
