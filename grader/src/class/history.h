/*
 * history.h: prints what the database of grades knows of past gradings and the one under way. It changes nothing.
 */
#ifndef GRADER_CLASS_HISTORY_H
#define GRADER_CLASS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* Prints the progress of the last grading in the folder, who works on it, and its results so far. */
bool history_status(FILE *out, const char *folder, grader_fault *fault);

/* Lists all gradings in the folder; with a student, every result that this student ever had. */
bool history_list(FILE *out, const char *folder, const char *student, grader_fault *fault);

/* One of two gradings to compare: number `grading` in the folder, the last one for 0. */
typedef struct history_place {
    const char *folder;
    int64_t grading;
} history_place;

/* Prints every submission whose verdict or points differ, or that only one grading has. */
bool history_diff(FILE *out, const history_place *old, const history_place *new, size_t *differences,
                  grader_fault *fault);

#endif
