/* The memory, arguments and marks that checks.c and program.c of lab 12 share. The student's file does not need them.
 */
#ifndef LAB12_SHARED_H
#define LAB12_SHARED_H

#include "lab12.h"

/* Numbers in the rows of one call: many short rows or few long ones. */
enum { LAB12_MOST = 4096, LAB12_NUMBERS = LAB12_ROWS * LAB12_MOST };

/* Each byte of the arrays before a run. */
enum { LAB12_UNWRITTEN = 0xC1 };

/* Arguments of all calls. The program runs `runs` times, each time with rows of its own; in every other run the pool
 * has room for one block. */
typedef struct lab12_arguments {
    int count, runs;
    int rounds; /* of program 8 */
} lab12_arguments;

/* The marks of streams, each while it is current. */
#define LAB12_MARKS                                                                                                    \
    {                                                                                                                  \
        "the first stream", "the second stream", "the third stream"                                                    \
    }
enum { LAB12_STREAMS = 3 };

/* The shared memory. Row k of run r begins at (r * LAB12_ROWS + k) * count; of the results all u and then all v of a
 * run, at (2 * r * LAB12_ROWS + k) * count. */
typedef struct lab12_memory {
    float row[LAB12_NUMBERS];
    float result[2 * LAB12_NUMBERS]; /* afterwards */
} lab12_memory;

#endif
