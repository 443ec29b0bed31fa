/*
 * job.h: one submission and one lab: from a file to a result. labcheck and labgrade both run jobs.
 *
 * A job takes the file in, builds it, runs the checks one after another, merges their evidence and places the
 * artifacts. This file knows the order of the steps; source_file.h, build.h, evidence.h and result.h know each step. A
 * job always ends with a result: a mistake of the submission becomes its verdict, a failure of the grader a "grader
 * fault".
 */
#ifndef GRADER_JUDGE_JOB_H
#define GRADER_JUDGE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "lab_parts.h"
#include "result.h"
#include "sandbox/device_lock.h"
#include "sandbox/sandbox.h"

/* Hears of a job's progress, in the process that runs it. */
typedef struct job_watcher {
    /* About once a second: the check of this title has run for so long, and its program may take so long. */
    void (*running)(void *user, const char *title, double seconds, double limit);
    /* A check has ended, with or without a call of `running` before. */
    void (*ended)(void *user);
    void *user;
} job_watcher;

/* Which of the lab's checks a job runs. */
typedef enum job_checks {
    JOB_EVERY_CHECK,
    JOB_ONE_CHECK,     /* `check` alone; the others say "not measured" */
    JOB_RERUN_CHECK,   /* `check` alone; the others are kept as in `previous` */
    JOB_FIRST_FAILURE, /* those that measure no times, up to the first that fails; the others say "not measured" */
} job_checks;

typedef struct grading_job {
    const lab_parts *parts;
    const char *source;     /* path of the student's file, which need not exist */
    const char *refusal;    /* why there is no such file; NULL to find that out */
    const char *submission; /* the student's name; any bytes */
    const char *out;        /* an existing folder for `job_files` */
    const char *out_name;   /* how the result names that folder: "ada" gives "ada/trace.json"; "" gives "trace.json" */
    uint64_t seed;
    bool seed_secret; /* the result does not show the seed */
    double seconds;   /* limit of one check's waiting for programs; 0 for the check's own limit */
    job_checks checks;
    const char *check;      /* the name of the one check, where `checks` runs one */
    const json_t *previous; /* of JOB_RERUN_CHECK: an earlier result of the submission, in the form of its schema */
    /* Somebody waits for the verdict: a function that hung is not called again, and slow ones then get a short time.
     * The checks that need them say "not run". */
    bool skips_hung;
    bool keeps_records;  /* trace-N.json for each check number N that has a record */
    const char *profile; /* rows of modelled times also for this profile, a name or a path; NULL for none */
    /* What a file could win at most, for proofs: without sanitizers, which find what checks do not; measurements take
     * one sample. */
    bool points_only;
    bool without_lines;       /* nobody reads where in the file a failure is */
    bool repeats_unstable;    /* times that vary too much are measured again, as an instructor wants them */
    device_lock *device_lock; /* shared while the job works, taken alone for a check that measures; NULL for none */
    const sandbox *sandbox;   /* where it is built and run; NULL for none */
    const job_watcher *watch; /* NULL for none */
} grading_job;

/* Names of the files that a job may leave: trace.json, timeline.svg, timeline.txt and build.log. NULL ends them. */
extern const char *const job_files[];

/* The path of a check's own record, from 1; the caller frees it, NULL without memory. */
char *job_record_path(const char *out, size_t check);

/* Runs the job; the caller frees the result with result_free. */
void job_run(grading_result *out, const grading_job *job);

/* The result of a job whose process left none: a grader fault. */
void job_conclude_fault(grading_result *out, const grading_job *job, const grader_fault *fault);

/* Draws an unpredictable seed. */
bool job_random_seed(uint64_t *seed, grader_fault *fault);

#endif
