/* The memory, arguments and results that checks.c and program.c of lab 00 share. The student's file does not need
 * them. */
#ifndef LAB00_SHARED_H
#define LAB00_SHARED_H

enum { LAB00_READINGS = 1024, LAB00_CALLS = 1024 };

/* The marks in the record for each reading of the clock and each call of enqueue. */
#define LAB00_CLOCK_MARK "clock"
#define LAB00_ENQUEUE_MARK "enqueue"

/* Arguments: the amount of work for all calls, the numbers of calls for lab00_benchmark. */
typedef struct lab00_arguments {
    int steps;
    int warm_up, repeats;
} lab00_arguments;

/* Results. */
typedef struct lab00_time {
    double milliseconds;
} lab00_time;

typedef struct lab00_said {
    double host[5], device[5]; /* median, mean, deviation, least, most */
} lab00_said;

/* The shared memory: the readings of the clock, in order. */
typedef struct lab00_memory {
    int readings, calls;
    double reading[LAB00_READINGS];
} lab00_memory;

#endif
