/*
 * job_pool.h: jobs at the same time, each in a process of its own.
 *
 * A job's process has its own temporary folder, is the parent of everything that its submission leaves behind, and ends
 * with the grader. Whatever happens to one job does not affect the others. It knows processes and the text of a result,
 * not its content.
 */
#ifndef GRADER_CLASS_JOB_POOL_H
#define GRADER_CLASS_JOB_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "judge/job.h"

typedef struct job_pool job_pool;

/* At most `workers` jobs at once. */
bool job_pool_create(job_pool **out, size_t workers, grader_fault *fault);

/* Kills what still runs, and frees the pool. Accepts NULL. */
void job_pool_free(job_pool *pool);

size_t job_pool_busy(const job_pool *pool);
bool job_pool_is_full(const job_pool *pool);

/* Starts a job; the pool must not be full. What `job` points to may be freed when this returns. The job's end carries
 * `ticket`. */
bool job_pool_start(job_pool *pool, const grading_job *job, int64_t ticket, grader_fault *fault);

/* A job's end: its result in the form of its schema, or NULL and the reason. */
typedef struct job_pool_end {
    int64_t ticket;
    char *json; /* the caller frees it */
    grader_fault why;
} job_pool_end;

/* Waits for a job to end; at least one must be running. */
bool job_pool_wait(job_pool *pool, job_pool_end *out, grader_fault *fault);

#endif
