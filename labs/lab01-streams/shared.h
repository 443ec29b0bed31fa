/* The memory, arguments and results that checks.c and program.c of lab 01 share. The student's file does not need
 * them. */
#ifndef LAB01_SHARED_H
#define LAB01_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAB01_MOST = 16384, LAB01_STEPS = 3 };

/* Arguments of "lab01_sum" and "lab01_two_sums". */
typedef struct lab01_counts {
    size_t count[2];
    bool pinned; /* pins the shared memory, so that no copy makes the host wait */
} lab01_counts;

/* The mark in the record where the student's function returned. */
#define LAB01_RETURN_MARK "returned"

/* Their result: the sums when the student's function returned. */
typedef struct lab01_sums {
    float at_return[2];
} lab01_sums;

/* The shared memory. */
typedef struct lab01_memory {
    float input[2][LAB01_MOST];
    float sum[2];
} lab01_memory;

/* Arguments of "lab01_nested" and "lab01_use": the step that fails, from 1; 0 for none. */
typedef struct lab01_failure {
    int step;
} lab01_failure;

/* Their result: the streams, by number, and the current stream at each moment. */
typedef struct lab01_currents {
    uint64_t before, after;
    uint64_t given[2];
    uint64_t in_step[LAB01_STEPS]; /* 0 if the step was not called */
    int calls;                     /* steps that were called */
    int returned;                  /* the status */
    int failed;                    /* the status that the failing step returned */
} lab01_currents;

/* Result of "lab01_pair": the student's table. Before each pair the record has a mark with this name. */
typedef struct lab01_prediction {
    bool waits[4][4];
} lab01_prediction;
#define LAB01_PAIR_MARK "pair %d %d"

#endif
