/*
 * job.h: one submission and one lab: from a file to a result. labcheck and labgrade both run jobs.
 *
 * Intake, build, the checks one after another, the merge of their evidence, the artifacts. It knows the order of the
 * steps; each step's how is in folder.h, build.h, subprocess.h and result.h. A job always ends with a result: what
 * the submission does wrong is its verdict, what the grader cannot do is a "grader fault".
 */
#ifndef GRADER_JUDGE_JOB_H
#define GRADER_JUDGE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/device_lock.h"
#include "lab_parts.h"
#include "result.h"
#include "sandbox/sandbox.h"

/* Who is told how a job goes on, in the process that runs it. */
typedef struct job_watcher {
    /* About once a second: the check of this title has run for so long, and its program may take so long. */
    void (*running)(void *user, const char *title, double seconds, double limit);
    /* A check has ended, whether it was told of or not. */
    void (*ended)(void *user);
    void *user;
} job_watcher;

typedef struct grading_job {
    const lab_parts *kit;
    const char *source;     /* path of the student's file, which need not exist */
    const char *refusal;    /* why there is no such file; NULL to find that out */
    const char *submission; /* whose it is; any bytes */
    const char *out;        /* an existing folder for `job_files` */
    const char *out_name;   /* how the result names that folder: "ada" gives "ada/trace.json"; "" gives "trace.json" */
    uint64_t seed;
    bool seed_secret;         /* the result does not show the seed */
    double seconds;           /* limit of one check's waiting for programs; 0 for what the check itself says */
    const char *only_check;   /* the one check to run; the others are as in `previous`. NULL for all */
    const json_t *previous;   /* an earlier result of the same submission, in the form of its schema */
    const char *lone_check;   /* the one check to run, the others then say "not measured"; NULL for all */
    bool without_measuring;   /* checks that measure are not run and say "not measured" */
    bool until_failure;       /* so do all checks after the first that failed */
    bool hangs_once;          /* a person waits: what has hung is not called again, and what else takes long then gets a
                               * short time; such checks say "not run" */
    device_lock *device_lock; /* shared while the job works, taken alone for a check that measures; NULL for a person
                               * who checks one file */
    const sandbox *sandbox;   /* where it is built and run; NULL for none */
    const job_watcher *watch; /* NULL for nobody */
    bool any_symbol;          /* the file may use and define what labs do not allow */
    bool private_cache; /* kernels compiled for this job are kept for this job only: no submission prepares another's */
} grading_job;

/* Names of the files that a job may leave: trace.json, timeline.svg, timeline.txt and build.log. NULL ends them. */
extern const char *const job_files[];

/* Runs the job; the result is yours to free with result_free. */
void job_run(grading_result *out, const grading_job *job);

/* The result of a job whose process came to no end of its own: a grader fault. */
void job_conclude_fault(grading_result *out, const grading_job *job, const grader_fault *fault);

/* A seed that nobody can guess. */
bool job_random_seed(uint64_t *seed, grader_fault *fault);

#endif
