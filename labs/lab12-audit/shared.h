/* The memory, arguments and marks that checks.c and program.c of lab 12 share. The student's file does not need them.
 */
#ifndef LAB12_SHARED_H
#define LAB12_SHARED_H

#include "lab12.h"

/* Numbers in a row, and runs of a call. */
enum { LAB12_MOST = 4096, LAB12_RUNS = 25 };

/* Each byte of the arrays before a run. */
enum { LAB12_UNWRITTEN = 0xC1 };

/* Arguments of all calls. The program runs `runs` times, each time with rows of its own; in every other run the pool
 * has room for one block. */
typedef struct lab12_arguments {
    int count, runs;
    int rounds; /* of program 8 */
} lab12_arguments;

/* The marks around all runs; and of streams, each while it is current. */
#define LAB12_STARTS "lab12 starts"
#define LAB12_STOPS "lab12 stops"
#define LAB12_MARKS                                                                                                    \
    {                                                                                                                  \
        "the first stream", "the second stream", "the third stream"                                                    \
    }
enum { LAB12_STREAMS = 3 };

/* The shared memory. Row k of a run begins at k * count; of its results all u come first, and then all v. */
typedef struct lab12_run {
    float row[LAB12_ROWS * LAB12_MOST];
    float result[2 * LAB12_ROWS * LAB12_MOST]; /* afterwards */
} lab12_run;
typedef struct lab12_memory {
    lab12_run run[LAB12_RUNS];
} lab12_memory;

#endif
