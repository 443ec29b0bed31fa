/* The memory, arguments and results that checks.c and program.c of lab 04 share. The student's file does not need
 * them. */
#ifndef LAB04_SHARED_H
#define LAB04_SHARED_H

enum { LAB04_JOBS = 10, LAB04_MOST = 20000, LAB04_LOOKS = 8, LAB04_MOST_THREADS = 16 };

/* Arguments of the calls that run jobs. The first job without elements ends them. */
typedef struct lab04_arguments {
    int count[LAB04_JOBS];
    float by[LAB04_JOBS];
} lab04_arguments;

/* Argument of "lab04_run_threads": the number of jobs, the status with which each one's work ends, and whether it goes
 * on for a while after the others, unless lab04_run_threads has returned by then. Such a job never ends. */
typedef struct lab04_endings {
    int count;
    int status[LAB04_MOST_THREADS];
    int lingers[LAB04_MOST_THREADS];
} lab04_endings;

/* Result of "lab04_run_threads": what it returned; and of "lab04_foreign_launch": what the launch returned, as the
 * program says. */
typedef struct lab04_returned {
    int status;
} lab04_returned;

/* The beginnings of the names of marks, before the number of a job or a step. */
#define LAB04_BEGINS "begins job "
#define LAB04_ENDS "ends job "
#define LAB04_AFTER "after step "

/* The marks around all jobs of the threads of program.c, and the one before the call of lab04_run_threads. */
#define LAB04_RUNS "runs all jobs"
#define LAB04_RAN "has run all jobs"
#define LAB04_CALLS "calls lab04_run_threads"

/* The shared memory. */
typedef struct lab04_memory {
    float input[LAB04_JOBS][LAB04_MOST];
    float output[LAB04_JOBS][LAB04_MOST];
} lab04_memory;

#endif
