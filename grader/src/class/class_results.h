/*
 * class_results.h: the result of each student of a lab, read from the store: that of the attempt that counts, with what
 * is known of the student, and the points that count. It knows results and their files. Independent of how they come
 * about.
 */
#ifndef GRADER_CLASS_CLASS_RESULTS_H
#define GRADER_CLASS_CLASS_RESULTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "store/store.h"

/* A lab of a grading that is done. */
typedef struct class_results_lab {
    grade_store *store;
    int64_t grading;
    const char *name;
    const char
        *out; /* the folder of its results, where a result.json that somebody changed is written again; or NULL */
} class_results_lab;

/* Calls `each` with every student's result, in order of name, until it returns false. */
bool class_results_each(const class_results_lab *lab, bool (*each)(void *user, json_t *result), void *user,
                        grader_fault *fault);

/* Writes a result to out/DIRECTORY/result.json. */
bool class_results_write(const char *out, const char *directory, const json_t *result, grader_fault *fault);

#endif
