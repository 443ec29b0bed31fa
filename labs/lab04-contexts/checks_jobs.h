/* Runs of all jobs of lab 04, each on a thread of its own, and what the record shows of each thread. */
#ifndef LAB04_CHECKS_JOBS_H
#define LAB04_CHECKS_JOBS_H

#include "check.h"
#include "shared.h"

/* The number of elements of each job: below, at and above whole blocks, from one to the most. Contexts are costly on
 * some devices, so one call covers all sizes. And the most for every job. */
extern const int all_sizes[LAB04_JOBS], most[LAB04_JOBS];

/* The number in the name of a mark that begins like this; -1 for any other operation. */
int marked_number(const lab_trace_op *op, const char *begin);

/* New inputs for every job, each with its own number to shift by. */
lab04_arguments fill_jobs(check_program *program, const int *count, uint64_t stream);

/* Makes one call on new numbers, compares every output, and returns the milliseconds. `jobs` gets what check_flow asks
 * of each job, unless it is NULL. */
double run_jobs(check_program *program, const char *function, const int *count, uint64_t stream,
                check_passage jobs[LAB04_JOBS]);

/* The record of the second of two calls in one program, with the kernel loaded before. Fails the check unless the
 * device computed all jobs and every copy out was waited for. */
const lab_trace *record_jobs(const char *function, const int count[LAB04_JOBS]);

/* Fails the check if the threads waited for each other: no thread began its calls before another had ended its own. */
void check_not_serial(const char *function);

/* A job in the record. */
typedef struct job_span {
    int number;
    uint64_t thread, begin, end; /* its thread, 0 for any, and the ids of the marks around its operations */
} job_span;

/* Where each job is in the record. */
void find_jobs(job_span job[LAB04_JOBS], const lab_trace *trace);

/* The next operation of the job after this one, or its first for NULL; NULL at the end. */
const lab_trace_op *next_of_job(const lab_trace *trace, const job_span *job, const lab_trace_op *op);

/* Fails the check if the job made something, other than a context, that was not released before operation `end`.
 * Memory that a pool keeps does not count. */
void check_all_given_back(const lab_trace *trace, const job_span *job, uint64_t end, const char *function);

#endif
