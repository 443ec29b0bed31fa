/*
 * grading_internal.h: a grading under way: grading_setup.c opens what it needs, grading.c puts it into the store and
 * grading_jobs.c carries it out.
 */
#ifndef GRADER_CLASS_GRADING_INTERNAL_H
#define GRADER_CLASS_GRADING_INTERNAL_H

#include "keys/content_key.h"
#include "course/accept.h"
#include "course/course.h"
#include "course/roster.h"
#include "grading.h"
#include "grading_page.h"
#include "intake/intake.h"
#include "judge/lab_parts.h"
#include "store/store.h"

typedef struct graded_lab {
    lab_parts parts;
    content_key key;
    content_key version; /* of a grading in parts */
    uint64_t seed;
    bool seed_secret;
    char *out;    /* OUT, or OUT/lab03 where several labs are graded */
    intake taken; /* empty where the store has the submissions */
    char *facts;  /* what student_facts_lab says, as text */
} graded_lab;

typedef struct grading {
    const grading_settings *settings;
    grade_store *store;
    int64_t id;
    graded_lab *lab;
    size_t labs;
    bool flat;          /* one lab, whose results lie in OUT itself */
    bool in_parts;      /* other machines grade it, by a plan */
    const char *device; /* of those machines: "cpu" or "cuda"; "" for whatever each has */
    double seconds, begun;
    char *folder;
    roster students;
    acceptances accepted;
    course course; /* without labs where none was named */
    sandbox box;
    const sandbox *use; /* the sandbox, or NULL for none; `box` describes either */
    char *unpack;       /* the program that reads archives in it */
    grading_page page;
} grading;

/* Opens a lab of the workbook, and adds it to the grading. */
bool grading_open_lab(grading *run, const char *name, grader_fault *fault);

/* Opens the sandbox that the command line asks for. */
bool grading_open_sandbox(grading *run, grader_fault *fault);

/* Proves that kernels run where submissions will run. */
bool grading_prove_kernels(grading *run, grader_fault *fault);

/* Names the folder of each lab's results, and makes it. */
bool grading_place_labs(grading *run, grader_fault *fault);

/* Frees everything that the grading holds. */
void grading_close(grading *run);

/* Opens the labs and takes in the submissions of a new grading, whose jobs then wait in the store. */
bool grading_begin(grading *run, const grading_request *request, grader_fault *fault);

/* Opens the store and the labs of its last grading, which the caller frees; with `unchanged`, only if they are as they
 * were then or the grading has ended, which has nothing left to grade. */
bool grading_open_last(grading *run, store_grading *last, bool unchanged, grader_fault *fault);

/* Runs what the grading has left to do and writes the results. */
bool grading_carry_out(grading *run, grader_fault *fault);

/* Writes results.json of each lab. */
bool grading_write_classes(grading *run, grader_fault *fault);

graded_lab *grading_find_lab(const grading *run, const char *name);

/* At once on this machine, unless the command line says so. */
size_t grading_jobs_at_once(const grading *run);

/* Keeps the result of a job in the store, and prints it. Its files are in their places. */
bool grading_record_result(grading *run, const store_job *job, const json_t *json, grader_fault *fault);

/* Gives a member of a group the result that another member already has; *shared says whether there was one. */
bool grading_share_result(bool *shared, grading *run, store_job *job, grader_fault *fault);

/* The key of the result that a source will have in this grading. */
content_key grading_result_key(const grading *run, const graded_lab *lab, const char *source, size_t bytes);

/* Whether the files of an earlier result are still in their places. */
bool grading_files_are_there(const graded_lab *lab, const char *directory, const char *json);

#endif
