/* The memory, arguments and marks that checks.c and program.c of lab 10 share. The student's file does not need them.
 */
#ifndef LAB10_SHARED_H
#define LAB10_SHARED_H

#include <stdbool.h>

enum {
    LAB10_MOST = 16384,
    LAB10_RESULTS = 5,
    LAB10_STREAMS = 3,
    LAB10_ROUNDS = 1000,
    LAB10_ROW_MOST = 200,
    LAB10_ARRAYS = 8
};

/* Arguments of all calls but "ask_errors". */
typedef struct lab10_arguments {
    int count, steps;
    int rounds;   /* of "lab10_replay", "lab10_follow" and "lab10_measure" */
    int error;    /* of "lab10_break" */
    bool null;    /* of "lab10_record with a fault": the null stream, which cannot capture, takes the place of `one` */
    bool relaxed; /* of "lab10_break": in a thread of the mode LAB_CAPTURE_RELAXED */
    int expected; /* of "lab10_break": another status is that of the entry, too; LAB_SUCCESS: none is */
} lab10_arguments;

/* Result of "ask_errors", which is called in the reference; result of "lab10_break": the first of them. */
typedef struct lab10_statuses {
    int status[6];
} lab10_statuses;

/* The marks of the student's clock. */
#define LAB10_STARTS "lab10 clock starts"
#define LAB10_STOPS "lab10 clock stops "

/* The shared memory. */
typedef struct lab10_memory {
    float x[LAB10_MOST], y[LAB10_MOST];
    float result[LAB10_RESULTS][LAB10_MOST]; /* u, p, q, s and r afterwards */
    float rows[LAB10_ROUNDS * LAB10_ROW_MOST];
    float results[LAB10_ROUNDS * LAB10_ROW_MOST];
    float from[LAB10_ARRAYS][LAB10_MOST];
    float to[LAB10_ARRAYS][LAB10_MOST]; /* afterwards */
} lab10_memory;

#endif
