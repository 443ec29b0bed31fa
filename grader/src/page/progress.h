/*
 * progress.h: a student's progress: the best and the last points of each lab, and how many hints of a check were taken.
 * One JSON file, which outlives `make clean`; it belongs to the student and proves nothing.
 * It knows the file and its table. Independent of how points come about.
 *
 * Several programs may use the file at once. A damaged file is kept under its name with ".damaged" at the end, with a
 * message on standard error, and a new one begins.
 */
#ifndef GRADER_PAGE_PROGRESS_H
#define GRADER_PAGE_PROGRESS_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/page_layout.h"
#include "judge/result.h"

/* Records a run of a lab's checks. */
bool progress_note(const char *path, const grading_result *result, grader_fault *fault);

/* The next hint of a check, from 1 to `levels`, which is recorded as taken; the last hint repeats. 1 if the file cannot
 * be used. */
bool progress_next_hint(int *level, const char *path, const char *lab, const char *check, int levels,
                        grader_fault *fault);

/* Prints the table of the labs with these folders ("labs/lab03-concurrency"); ends with NULL. */
bool progress_print(const text_page *page, const char *path, const char *const *folders, grader_fault *fault);

#endif
