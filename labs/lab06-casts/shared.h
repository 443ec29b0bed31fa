/* The memory, arguments and results that checks.c and program.c of lab 06 share. The student's file does not need
 * them. */
#ifndef LAB06_SHARED_H
#define LAB06_SHARED_H

#include <stddef.h>
#include <stdint.h>

enum { LAB06_MOST = 1 << 20 };

/* Arguments of the calls that convert. */
typedef struct lab06_arguments {
    int type; /* lab_dtype */
    size_t count;
} lab06_arguments;

/* The shared memory. */
typedef struct lab06_memory {
    float input[LAB06_MOST];
    uint64_t output[LAB06_MOST]; /* elements of the type asked for */
    float sum;
} lab06_memory;

#endif
