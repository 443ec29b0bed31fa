/* job_internal.h: a job while it runs; for job.c, which has its steps, and job_checks.c, which has the checks alone. */
#ifndef GRADER_JUDGE_JOB_INTERNAL_H
#define GRADER_JUDGE_JOB_INTERNAL_H

#include "job.h"

/* What a job holds while it runs. */
typedef struct running_job {
    const grading_job *job;
    const lab_parts *parts;
    grading_result *result;
    char *work;               /* private folder that holds the following ones; removed at the end */
    char *built;              /* where source, object and program are: the compiler writes here */
    char *room;               /* where the program writes; NULL where nothing bounds that */
    char *program;            /* the student's program */
    char *sanitized;          /* the same with the sanitizers (build.h); NULL without one */
    sandbox_cell cell;        /* of the student's program in all checks; empty for no sandbox */
    sandbox_cell device_cell; /* of its device process */
    char *cell_path;          /* the files that describe the cells to the checks */
    char *device_cell_path;
    char *cache;           /* in a sandbox: the submission's compiled kernels, which end with the job, ... */
    char *reference_cache; /* ... and below it the reference program's, which submissions only read */
    grader_fault fault;
    uint64_t marked; /* the tasks that the file marks (open_tasks.h) */
    bool concluded;  /* the result is whole: the steps that are left are skipped */
} running_job;

/* Waits until the job has the device, shared with other jobs or alone. */
bool job_take_device(running_job *run, bool alone);

/* Runs the checks that the job asks for, and concludes the result. */
bool job_run_checks(running_job *run);

#endif
