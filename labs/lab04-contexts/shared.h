/* The memory, arguments and results that checks.c and program.c of lab 04 share. The student's file does not need
 * them. */
#ifndef LAB04_SHARED_H
#define LAB04_SHARED_H

#include <stdint.h>

enum { LAB04_JOBS = 10, LAB04_MOST = 20000, LAB04_LOOKS = 8 };

/* Arguments of the calls that run jobs. */
typedef struct lab04_arguments {
    int count[LAB04_JOBS];
    float by[LAB04_JOBS];
} lab04_arguments;

/* Result of "lab04_run_threads": the most jobs in flight at once, and how often each job's work was called. Its
 * argument `fails` is the job whose work fails, from 1; 0 for none. */
typedef struct lab04_meeting {
    int together;
    int calls[LAB04_JOBS];
    int returned, failed;
} lab04_meeting;
typedef struct lab04_failure {
    int fails;
} lab04_failure;

/* Result of "lab04_walk": the current contexts, as lab04_which, and the predicted ones. */
typedef struct lab04_walked {
    int found[LAB04_LOOKS], predicted[LAB04_LOOKS];
} lab04_walked;

/* Result of "lab04_foreign_launch". */
typedef struct lab04_refusal {
    int found, predicted;
} lab04_refusal;

/* The shared memory. */
typedef struct lab04_memory {
    float input[LAB04_JOBS][LAB04_MOST];
    float output[LAB04_JOBS][LAB04_MOST];
} lab04_memory;

#endif
