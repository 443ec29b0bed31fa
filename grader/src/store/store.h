/*
 * store.h: the database of grades: every grading, its submissions, their results, and what is still to be done.
 *
 * One file, OUT/grades.db, whose tables grader/docs/database.md describes. What is in it after a call is on the disk:
 * a grader that is killed at any moment has lost nothing but the jobs that were running. It knows tables; not how a
 * result comes about. Functions that write need store_open; those that only look work on both kinds.
 */
#ifndef GRADER_STORE_STORE_H
#define GRADER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/content_key.h"
#include "base/fault.h"

typedef struct grade_store grade_store;

/* Opens folder/grades.db, made if it is not there. One grader at a time: a second one is refused with the first's
 * process and host in the fault. */
bool store_open(grade_store **out, const char *folder, grader_fault *fault);

/* The same to look only, also while a grader works. The database must be there. */
bool store_open_to_read(grade_store **out, const char *folder, grader_fault *fault);

/* Whether the database is there; the fault says that it is not. */
bool store_is_there(const char *folder, grader_fault *fault);

void store_close(grade_store *store);

/* ---- gradings ---- */

/* One call of grade or regrade. Texts are the holder's; free with store_grading_free. */
typedef struct store_grading {
    int64_t id;
    char *begun, *ended; /* UTC; `ended` is "" while it is not */
    double seconds;      /* worked so far */
    char *who, *why;     /* "ada@host", "grade" */
    char *folder;        /* the submissions' */
    char *options;       /* JSON, the caller's own */
} store_grading;

void store_grading_free(store_grading *grading);

/* The last grading, or number `id` unless that is 0; a fault if there is none. */
bool store_find_grading(store_grading *out, grade_store *store, int64_t id, grader_fault *fault);

/* Calls `each` for every grading, in order, until it returns false. */
bool store_each_grading(grade_store *store, bool (*each)(void *user, const store_grading *grading), void *user,
                        grader_fault *fault);

/* Begins a grading: between these two, labs and jobs are added, and either all of it is there or nothing. */
bool store_begin(grade_store *store, int64_t *id, const char *why, const char *folder, const char *options,
                 grader_fault *fault);
bool store_begun(grade_store *store, bool keep, grader_fault *fault);

/* A lab of a grading. */
typedef struct store_lab {
    char *name;
    content_key kit; /* of everything but the submission that its results depend on */
    uint64_t seed;
    bool seed_secret;
    char *about; /* JSON, the caller's own */
} store_lab;
bool store_add_lab(grade_store *store, int64_t grading, const store_lab *lab, grader_fault *fault);

/* The labs of a grading. */
bool store_labs(store_lab **out, size_t *count, grade_store *store, int64_t grading, grader_fault *fault);
void store_labs_free(store_lab *labs, size_t count);

/* The secret seed that the lab had the last time; `found` is false if it never had one. */
bool store_secret_seed(grade_store *store, const char *lab, uint64_t *seed, bool *found, grader_fault *fault);

/* Adds to the seconds that a grading took, and ends it if nothing of it is left to do. */
bool store_worked(grade_store *store, int64_t grading, double seconds, grader_fault *fault);

/* ---- jobs ---- */

/* A submission of a grading, to be added. */
typedef struct store_entry {
    const char *lab, *name, *directory; /* whose it is, any bytes, and its folder among the results */
    const char *about;                  /* JSON, the caller's own */
    const char *refusal;                /* why there is nothing to grade; NULL if there is */
    const char *group;                  /* names a submission that is also that of others; NULL for one's own */
    bool kept_only;                     /* it is not to be graded: a job that is done and has no result */
    const char *source;                 /* the file, `bytes` long, unless refused */
    size_t bytes;
    const char *check; /* the only check to run, the others as in `previous`; NULL for all */
    content_key key;   /* of the result to come */
    int64_t previous;  /* a result to stand for it (or, with `check`, to begin from), 0 for none */
} store_entry;

bool store_add_job(grade_store *store, int64_t grading, const store_entry *entry, grader_fault *fault);

/* The newest result for the same lab, name, directory, key and, byte for byte, source, with its JSON, yours; 0 and NULL
 * if there is none. Faults of the grader are none. */
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

/* Takes a job that waits; `found` is false if none does. It is marked as running. While one of a group's is running, the
 * others of that group are not taken. */
bool store_take_job(grade_store *store, int64_t grading, store_job *out, bool *found, grader_fault *fault);

/* What the same submission came to in this grading for another of its group, and where its files are: both yours, NULL
 * if nobody's is done. */
bool store_find_shared(char **directory, char **json, grade_store *store, const store_job *job, grader_fault *fault);

/* Puts back what was running when an earlier grader ended, or one job that is to be tried again. */
bool store_put_back_all(grade_store *store, int64_t grading, grader_fault *fault);
bool store_put_back(grade_store *store, int64_t job, grader_fault *fault);

/* A job's result. */
typedef struct store_result {
    const char *verdict, *json;
    int points, max_points;
} store_result;

/* Keeps the result of a job: one transaction. */
bool store_finish_job(grade_store *store, const store_job *job, const store_result *result, grader_fault *fault);

typedef struct store_counts {
    int64_t waiting, running, done;
} store_counts;
bool store_count_jobs(grade_store *store, int64_t grading, store_counts *out, grader_fault *fault);

/* ---- looking ---- */

/* A submission with its result. Texts are borrowed; `json` and `verdict` are "" while there is no result. */
typedef struct store_row {
    int64_t grading, result;
    const char *lab, *name, *directory, *about, *verdict, *json, *made, *why, *who;
    int points, max_points;
    bool has_source;
    bool kept_only;
} store_row;

/* Calls `each` for every job of the grading (of one lab unless that is NULL) in order of lab and name, until it returns
 * false. */
bool store_each_row(grade_store *store, int64_t grading, const char *lab,
                    bool (*each)(void *user, const store_row *row), void *user, grader_fault *fault);

/* The same for every result that was ever made of a student, and for every attempt that was only kept, with the verdict
 * "kept"; oldest grading first. */
bool store_each_of_student(grade_store *store, const char *name, bool (*each)(void *user, const store_row *row),
                           void *user, grader_fault *fault);

/* Copies the jobs of grading `from` into `into`: all done as they were, but those of this student and of those who share a
 * submission with one, of this lab and check (NULL: any), which wait. `chosen` says how many do. */
typedef struct store_choice {
    const char *student, *lab, *check;
} store_choice;
bool store_copy_jobs(grade_store *store, int64_t from, int64_t into, const store_choice *choice, int64_t *chosen,
                     grader_fault *fault);

#endif
