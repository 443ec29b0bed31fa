/* How checks.c and program.c of lab 02 share memory and arguments. The student's file does not need it. */
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

/* Result of "lab02_pipeline": what the streams are called in the record. */
typedef struct lab02_streams {
    uint64_t producer, consumer;
} lab02_streams;

/* Argument of "lab02_wait_usefully": for how many chores the stream's work waits, though not for ever. */
typedef struct lab02_patience {
    int chores;
} lab02_patience;

/* Its result: how often the chore ran, and how often before the stream's work could go on. */
typedef struct lab02_usefulness {
    int chores, before;
    bool done; /* the work on the stream, when the function returned */
} lab02_usefulness;

/* Result of "lab02_rerecord": the streams, the student's tables, and what the calls gave. */
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
