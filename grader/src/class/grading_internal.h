/* grading_internal.h: a grading under way, as grading.c sets it up and grading_jobs.c carries it out. */
#ifndef GRADER_CLASS_GRADING_INTERNAL_H
#define GRADER_CLASS_GRADING_INTERNAL_H

#include "base/content_key.h"
#include "course/course.h"
#include "grading.h"
#include "grading_page.h"
#include "intake/intake.h"
#include "judge/lab_parts.h"
#include "course/roster.h"
#include "store/store.h"

typedef struct graded_lab {
    lab_parts parts;
    content_key key;
    uint64_t seed;
    bool seed_secret;
    char *out;    /* OUT, or OUT/lab03 where several labs are graded */
    intake taken; /* empty where the submissions are the store's */
    char *about;  /* what student_facts_lab says, as text */
} graded_lab;

typedef struct grading {
    const grading_settings *settings;
    grade_store *store;
    int64_t id;
    graded_lab *lab;
    size_t labs;
    bool flat; /* one lab, whose results lie in OUT itself */
    double seconds, begun;
    char *folder;
    roster students;
    course course; /* without labs where there is none */
    sandbox box;
    const sandbox *use; /* the sandbox, or NULL for none; `box` describes either */
    grading_page page;
} grading;

/* Runs what the grading has left to do and writes what came of it. */
bool grading_carry_out(grading *of, grader_fault *fault);

/* The key of the result that a source will have in this grading. */
content_key grading_result_key(const grading *of, const graded_lab *lab, const char *source, size_t bytes);

/* Whether the files of an earlier result are still where it says. */
bool grading_files_are_there(const graded_lab *lab, const char *directory, const char *json);

#endif
