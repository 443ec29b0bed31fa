/*
 * hints.h: prints the hints of a lab's checks, one after another: where to look, what is needed, all but the line
 * itself. It knows which check and which hint are next; the lab has the texts.
 */
#ifndef GRADER_PAGE_HINTS_H
#define GRADER_PAGE_HINTS_H

#include <stdint.h>

#include "base/page_layout.h"
#include "judge/lab_parts.h"

typedef struct hints_choice {
    uint64_t check;       /* from 1; 0: the first that failed in the last result */
    uint64_t level;       /* from 1; 0: the next one */
    const char *out;      /* the folder of the last result */
    const char *progress; /* the file that remembers the hints taken; NULL: the first is always next */
} hints_choice;

/* The number of the first check that failed in the result in this folder, from 1; 1 without a failure there, and 0 if
 * all passed. */
uint64_t hints_first_failed(const char *out);

/* Prints one hint. A check or hint that does not exist is a fault. */
bool hints_print(const text_page *page, const lab_parts *parts, const hints_choice *choice, grader_fault *fault);

#endif
