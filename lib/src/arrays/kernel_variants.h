/*
 * Kernels made for one choice of types: each is written and compiled on first use, once per context, and kept.
 * Independent of the kernels' text.
 */
#ifndef LAB_ARRAYS_KERNEL_VARIANTS_H
#define LAB_ARRAYS_KERNEL_VARIANTS_H

#include "operands.h"

#include <pthread.h>

typedef struct specialization specialization;

typedef struct specializations {
    pthread_mutex_t lock;
    specialization *first;
    bool foreign; /* the kernels have text of the program's */
} specializations;

/* Writes a kernel's text, which follows the prelude, for these operands. */
typedef void (*kernel_writer)(FILE *out, const void *maker, const operands *bound);

/* The kernel for these operands in a context: found, or written by `write(out, maker, bound)`, compiled and kept. */
lab_status specialize(lab_function *out, specializations *all, const operands *bound, struct context *context,
                      kernel_writer write, const void *maker);

/* Unloads all variants. */
void specializations_unload(specializations *all);

/* Writes the program's own text into a generated kernel, between `before` and `after`; compiler messages count its
 * lines from 1. */
void write_own_text(FILE *out, const operands *bound, const char *before, const char *text, const char *after);

#endif
