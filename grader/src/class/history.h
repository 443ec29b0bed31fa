/*
 * history.h: what the database of grades says of gradings past and under way. It prints; it changes nothing.
 */
#ifndef GRADER_CLASS_HISTORY_H
#define GRADER_CLASS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* How far the last grading in the folder is, who works on it, and what came of it so far. */
bool history_status(FILE *to, const char *folder, grader_fault *fault);

/* All gradings in the folder; with a student, every result that this student ever had. */
bool history_list(FILE *to, const char *folder, const char *student, grader_fault *fault);

/* One of two gradings to compare: number `grading` in the folder, the last one for 0. */
typedef struct history_place {
    const char *folder;
    int64_t grading;
} history_place;

/* Prints every submission whose verdict or points differ, or that is in one only. */
bool history_diff(FILE *to, const history_place *old, const history_place *new, size_t *differences,
                  grader_fault *fault);

#endif
