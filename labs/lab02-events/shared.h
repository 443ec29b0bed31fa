/* The memory, arguments, results and marks that checks.c and program.c of lab 02 share. The student's file does not
 * need them. */
#ifndef LAB02_SHARED_H
#define LAB02_SHARED_H

enum { LAB02_MOST = 16384, LAB02_FILLED = 100 };

/* Arguments of "lab02_pipeline" and "lab02_time_kernel". */
typedef struct lab02_arguments {
    int count;
    float shift;
} lab02_arguments;

/* Argument of "lab02_wait_usefully": the number of chores that the stream's work waits for, unless none is done for a
 * second. So many chores have a mark in the record, and then LAB02_LATE_CHORES more, which take a millisecond each. */
typedef struct lab02_patience {
    int chores;
} lab02_patience;
enum { LAB02_LATE_CHORES = 1000 };
#define LAB02_CHORE_MARK "chore"
#define LAB02_STRANGE_CHORE_MARK "chore with another user"

/* Result of "ask_never_recorded": the statuses of the calls. */
typedef struct lab02_statuses {
    int found[4];
} lab02_statuses;

/* The shared memory. */
typedef struct lab02_memory {
    float input[LAB02_MOST];
    float output[LAB02_MOST];
    float filled[4][LAB02_FILLED]; /* by "lab02_rerecord": a, b, c and d afterwards */
} lab02_memory;

#endif
