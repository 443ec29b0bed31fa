/*
 * class_results.h: the result of each student of a lab, read from the store: that of the attempt that counts, with what
 * is known of the student, what was adjusted, and the points that count. It knows results and their files. Independent
 * of how they come about.
 */
#ifndef GRADER_CLASS_CLASS_RESULTS_H
#define GRADER_CLASS_CLASS_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "store/store.h"

/* A lab of a grading that is done. Set the first four, then open it. */
typedef struct class_results {
    grade_store *store;
    int64_t grading;
    const char *lab;
    const char
        *out;      /* the folder of its results, where a result.json that somebody changed is written again; or NULL */
    json_t *facts; /* what results.json has besides the results: what is known of the lab, and `decisions` */
    json_t *adjustments; /* those that hold of its students */
    int full;            /* the lab's points; known only where there are adjustments */
} class_results;

/* Reads the lab's facts and what persons adjusted. */
bool class_results_open(class_results *lab, grader_fault *fault);
void class_results_close(class_results *lab);

/* Calls `each` with every student's result, in order of name, until it returns false. */
bool class_results_each(const class_results *lab, bool (*each)(void *user, json_t *result), void *user,
                        grader_fault *fault);

/* Calls it also with the students of the lab's facts who handed nothing in: {id, name, email, section, groups} with
 * what was adjusted. */
bool class_results_everybody(const class_results *lab, bool (*each)(void *user, json_t *result), void *user,
                             grader_fault *fault);

/* Writes a result to out/DIRECTORY/result.json. */
bool class_results_write(const char *out, const char *directory, const json_t *result, grader_fault *fault);

/* The same for many results, which folder_flush then brings to the disk together. */
bool class_results_write_unflushed(const char *out, const char *directory, const json_t *result, grader_fault *fault);

#endif
