/* The memory, arguments and results that checks.c and program.c of lab 02 share. The student's file does not need
 * them. */
#ifndef LAB02_SHARED_H
#define LAB02_SHARED_H

#include <stdbool.h>
#include <stdint.h>

enum { LAB02_MOST = 16384 };

/* Arguments of "lab02_pipeline" and "lab02_time_kernel". */
typedef struct lab02_arguments {
    int count;
    float shift;
} lab02_arguments;

/* Result of "lab02_pipeline": the ids of the streams in the record. */
typedef struct lab02_streams {
    uint64_t producer, consumer;
} lab02_streams;

/* Argument of "lab02_wait_usefully": the number of chores that the stream's work waits for, up to a time limit. */
typedef struct lab02_patience {
    int chores;
} lab02_patience;

/* Its result: how often the chore ran in all, and before the stream's work went on. */
typedef struct lab02_usefulness {
    int chores, before;
    bool done; /* the work on the stream, when the function returned */
} lab02_usefulness;

/* Result of "lab02_rerecord": the streams, the student's tables, and the statuses of the calls. */
typedef struct lab02_predictions {
    uint64_t first, second, third;
    bool waits[2][2];
    int predicted[4], found[4];
} lab02_predictions;

/* The shared memory. */
typedef struct lab02_memory {
    float input[LAB02_MOST];
    float output[LAB02_MOST];
} lab02_memory;

#endif
