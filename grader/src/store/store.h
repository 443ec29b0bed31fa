/*
 * store.h: the database of grades: every grading, its submissions, their results, and what is still to be done.
 *
 * One file, OUT/grades.db, whose tables grader/docs/database.md describes. After a call its changes are on the disk: a
 * grader that is killed at any moment loses only the jobs that were running. It knows tables. Independent of how a
 * result comes about. Functions that write need store_open; those that only read work on both kinds.
 */
#ifndef GRADER_STORE_STORE_H
#define GRADER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "keys/content_key.h"
#include "base/fault.h"

typedef struct grade_store grade_store;

/* Opens folder/grades.db, or makes it. One grader at a time: for a second one the fault names process and host of the
 * first. */
bool store_open(grade_store **out, const char *folder, grader_fault *fault);

/* Opens it only to read, also while a grader works. The database must exist. */
bool store_open_to_read(grade_store **out, const char *folder, grader_fault *fault);

/* Whether the database exists; the fault says that it is missing. */
bool store_is_there(const char *folder, grader_fault *fault);

void store_close(grade_store *store);

/* ---- gradings ---- */

/* One call of grade or regrade. The caller frees the texts with store_grading_free. */
typedef struct store_grading {
    int64_t id;
    char *begun, *ended; /* UTC; `ended` is "" before the end */
    double seconds;      /* worked so far */
    char *who, *why;     /* "ada@host", "grade" */
    char *folder;        /* the submissions' */
    char *options;       /* JSON of the caller, kept as it is */
} store_grading;

void store_grading_free(store_grading *grading);

/* Number `id` of the gradings, or the last one for 0; a fault if it does not exist. */
bool store_find_grading(store_grading *out, grade_store *store, int64_t id, grader_fault *fault);

/* Calls `each` for every grading, in order, until it returns false. */
bool store_each_grading(grade_store *store, bool (*each)(void *user, const store_grading *grading), void *user,
                        grader_fault *fault);

/* Begin a grading. Between the two calls labs and jobs are added; store_begun keeps all of them or, without `keep`,
 * none and returns false. */
bool store_begin(grade_store *store, int64_t *id, const char *why, const char *folder, const char *options,
                 grader_fault *fault);
bool store_begun(grade_store *store, bool keep, grader_fault *fault);

/* A lab of a grading. */
typedef struct store_lab {
    char *name;
    content_key key; /* of everything that its results depend on except the submission */
    uint64_t seed;
    bool seed_secret;
    char *facts; /* JSON of the caller, kept as it is */
} store_lab;
bool store_add_lab(grade_store *store, int64_t grading, const store_lab *lab, grader_fault *fault);

/* The labs of a grading. */
bool store_labs(store_lab **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault);
void store_labs_free(store_lab *labs, size_t count);

/* The secret seed that the lab had the last time; `found` is false if it never had one. */
bool store_secret_seed(grade_store *store, const char *lab, uint64_t *seed, bool *found, grader_fault *fault);

/* Adds to the seconds that a grading took, and ends it if no job is left to do. */
bool store_worked(grade_store *store, int64_t grading, double seconds, grader_fault *fault);

/* ---- jobs ---- */

/* A submission of a grading, to be added. */
typedef struct store_entry {
    const char *lab, *name, *directory; /* the student's name, any bytes, and its folder among the results */
    const char *facts;                  /* JSON of the caller, kept as it is */
    const char *refusal;                /* why there is no file to grade; NULL with a file */
    const char *group;                  /* names a submission that several students share; NULL for another */
    bool kept_only;                     /* it is not graded: a job that is done and has no result */
    const char *source;                 /* the file, `bytes` long, unless refused */
    size_t bytes;
    const char *check; /* the only check to run, the others as in `previous`; NULL for all */
    content_key key;   /* of the result to come */
    int64_t previous;  /* a result to stand for it (or, with `check`, to begin from), 0 for none */
} store_entry;

bool store_add_job(grade_store *store, int64_t grading, const store_entry *entry, grader_fault *fault);

/* The newest result for the same lab, name, directory, key and, byte for byte, source, with its JSON, which is yours; 0
 * and NULL without one. Faults of the grader do not count. */
bool store_find_result(grade_store *store, const store_entry *entry, int64_t *result, char **json, grader_fault *fault);

typedef struct store_job {
    int64_t id;
    char *lab, *name, *directory;
    char *refusal, *check, *group; /* NULL for none */
    char *source;
    size_t bytes;
    char *previous; /* the JSON to begin from with `check` */
    content_key key;
    int tries; /* how often it was begun, this time included */
} store_job;

void store_job_free(store_job *job);

/* Takes a job that waits, and marks it as running; `found` is false if no job waits. While a job of a group is running,
 * the group's other jobs are not taken. */
bool store_take_job(grade_store *store, int64_t grading, store_job *out, bool *found, grader_fault *fault);

/* A job that waits, in brief. */
typedef struct store_waiting_job {
    int64_t id;
    char *lab, *directory;
    bool leads; /* no earlier job that waits has the same submission of the same group */
} store_waiting_job;

/* The jobs that wait, in their order; the caller frees it with store_waiting_free. */
bool store_waiting(store_waiting_job **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault);
void store_waiting_free(store_waiting_job *jobs, size_t count);

/* Reads a job as store_take_job does, and leaves it waiting. */
bool store_read_job(grade_store *store, int64_t id, store_job *out, grader_fault *fault);

/* Between these calls, results are kept together at store_keep_together_end: many at once cost little. */
bool store_keep_together(grade_store *store, grader_fault *fault);
bool store_keep_together_end(grade_store *store, bool keep, grader_fault *fault);

/* The result that this grading already has for another member of the group with the same submission, and the folder of
 * its files: both yours, NULL without one. */
bool store_find_shared(char **directory, char **json, grade_store *store, const store_job *job, grader_fault *fault);

/* Put back all jobs that were running when an earlier grader ended, or one job that is to be tried again. */
bool store_put_back_all(grade_store *store, int64_t grading, grader_fault *fault);
bool store_put_back(grade_store *store, int64_t job, grader_fault *fault);

/* A job's result. */
typedef struct store_result {
    const char *verdict, *json;
    int points, max_points;
} store_result;

/* Keeps the result of a job, in one transaction. */
bool store_finish_job(grade_store *store, const store_job *job, const store_result *result, grader_fault *fault);

typedef struct store_counts {
    int64_t waiting, running, done;
    int64_t kept; /* of those done: with a result; an attempt that does not count needs none */
} store_counts;
bool store_count_jobs(grade_store *store, int64_t grading, store_counts *out, grader_fault *fault);

/* ---- reading ---- */

/* A submission with its result. Texts are borrowed; `json` and `verdict` are "" while there is no result. */
typedef struct store_row {
    int64_t grading, result;
    const char *lab, *name, *directory, *facts, *verdict, *json, *made, *why, *who;
    int points, max_points;
    bool has_source;
    bool kept_only;
} store_row;

/* Calls `each` for every job of the grading (of one lab unless that is NULL) in order of lab and name, until it returns
 * false. */
bool store_each_row(grade_store *store, int64_t grading, const char *lab,
                    bool (*each)(void *user, const store_row *row), void *user, grader_fault *fault);

/* Calls `each` for every result that the student ever had, and for every attempt that was only kept, with the verdict
 * "kept"; oldest grading first. */
bool store_each_of_student(grade_store *store, const char *name, bool (*each)(void *user, const store_row *row),
                           void *user, grader_fault *fault);

typedef struct store_choice {
    const char *student, *lab, *check;
} store_choice;

/* Copies the jobs of an earlier grading. The chosen ones wait again: those of this student and of the members of a
 * group with the student, of this lab and check, where NULL chooses all. `chosen` says how many. */
bool store_copy_jobs(grade_store *store, int64_t earlier, int64_t grading, const store_choice *choice, int64_t *chosen,
                     grader_fault *fault);

#endif
