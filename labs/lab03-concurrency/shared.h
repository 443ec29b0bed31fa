/* The memory, arguments and results that checks.c and program.c of lab 03 share. The student's file does not need
 * them. */
#ifndef LAB03_SHARED_H
#define LAB03_SHARED_H

#include <stddef.h>

enum { LAB03_MOST_ARRAYS = 256, LAB03_PAGE = 4096 };

/* Arguments of "prepare". */
typedef struct lab03_size {
    int arrays, length, steps, streams;
} lab03_size;

/* Result of "time_kernels". */
typedef struct lab03_statistics {
    float mean, deviation;
} lab03_statistics;

/* The beginning of the shared memory; the inputs follow, then the outputs, each array on pages of its own. */
typedef struct lab03_head {
    float rate[LAB03_MOST_ARRAYS];
    float milliseconds[LAB03_MOST_ARRAYS];
} lab03_head;

static inline size_t lab03_pages(size_t bytes) { return (bytes + LAB03_PAGE - 1) / LAB03_PAGE * LAB03_PAGE; }

static inline size_t lab03_stride(const lab03_size *size) { return lab03_pages((size_t)size->length * sizeof(float)); }

static inline size_t lab03_input_offset(const lab03_size *size, int array)
{
    return lab03_pages(sizeof(lab03_head)) + (size_t)array * lab03_stride(size);
}

static inline size_t lab03_output_offset(const lab03_size *size, int array)
{
    return lab03_input_offset(size, size->arrays + array);
}

static inline size_t lab03_memory_bytes(const lab03_size *size) { return lab03_input_offset(size, 2 * size->arrays); }

#endif
