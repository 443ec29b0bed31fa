/*
 * grading.h: a class graded, from its submissions to results.json. The work to do goes into the store, jobs take it
 * from there and put their results back, and results are written from the store. So a grading that was cut short can go
 * on, and one that changes little costs little. It knows the order of work; store.h keeps it, job_pool.h does it.
 */
#ifndef GRADER_CLASS_GRADING_H
#define GRADER_CLASS_GRADING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "sandbox/sandbox_choice.h"

enum { GRADING_MOST_JOBS = 256 };

typedef struct grading_settings {
    const char *root, *build; /* the workbook and where make built it */
    const char *out;          /* the folder of results */
    size_t jobs;              /* at once, at most GRADING_MOST_JOBS; 0: one a core, and at most 4 on a GPU */
    sandbox_choice sandbox;   /* what the command line says about it */
    uint64_t memory_bytes;    /* for one check's programs; 0 for the sandbox's own limit */
} grading_settings;

typedef struct grading_request {
    const char *labs;        /* one or several, with spaces between; NULL for those of the course */
    const char *submissions; /* a folder or an archive, as intake.h describes */
    const char *roster;      /* the file of students (roster.h); NULL for none */
    const char *columns;     /* which of its columns is what (roster.h); NULL where their names say it */
    bool dropped_zeros;      /* a spreadsheet dropped the zeros of its ids */
    const char *accept;      /* the file of what an instructor accepts (accept.h); NULL for none */
    const char *course;      /* the file of the course's settings (course.h); NULL for none */
    const uint64_t *seed;    /* NULL for a secret one, the same as in earlier gradings in `out` */
    double seconds;          /* limit of one check; 0 for its own */
    const char *why;         /* for the history; NULL for "grade" */
} grading_request;

/* Grades the submissions. Those graded before keep their results unless something that matters has changed. */
bool grading_grade(const grading_settings *settings, const grading_request *request, grader_fault *fault);

/* Continues the last grading, which was cut short. */
bool grading_resume(const grading_settings *settings, grader_fault *fault);

typedef struct grading_choice {
    const char *student, *lab, *check; /* NULL for all */
    const char *why;                   /* for the history; NULL for "regrade" */
} grading_choice;

/* Grades some or all of the last grading's submissions again, from the files in the store, changed or not. */
bool grading_regrade(const grading_settings *settings, const grading_choice *choice, grader_fault *fault);

/* Prints what submissions would run in, and grades nothing. `labs` names labs with spaces between, of which the first
 * compiles and runs a kernel in the sandbox; or is NULL. */
bool grading_show_sandbox(const grading_settings *settings, const char *labs, grader_fault *fault);

#endif
