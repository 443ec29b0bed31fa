/*
 * progress.h: what a student has reached: the best and the last points of each lab, and how many hints of a check were
 * taken. One JSON file, which outlives `make clean`; it is the student's own and proves nothing to anybody.
 * It knows the file and the table made of it; not how points come about.
 *
 * Several programs may use the file at once. A file that is damaged is put aside under its name with ".damaged" at the
 * end, which is said on standard error, and a new one begun.
 */
#ifndef GRADER_PAGE_PROGRESS_H
#define GRADER_PAGE_PROGRESS_H

#include <stdbool.h>

#include "base/fault.h"
#include "base/page_layout.h"
#include "judge/result.h"

/* Notes a run of a lab's checks. */
bool progress_note(const char *path, const grading_result *result, grader_fault *fault);

/* The hint of a check that comes next, from 1 to `levels`, and notes that it was taken; the last one comes again. */
bool progress_next_hint(int *level, const char *path, const char *lab, const char *check, int levels,
                        grader_fault *fault);

/* Prints the table of the labs with these folders ("labs/lab03-concurrency"); ends with NULL. */
bool progress_print(const text_page *page, const char *path, const char *const *folders, grader_fault *fault);

#endif
