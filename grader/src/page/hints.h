/*
 * hints.h: the hints of a lab's checks, one after another: where to look, what is needed, all but the line itself.
 * It knows which check and which hint are next; the texts are the lab's.
 */
#ifndef GRADER_PAGE_HINTS_H
#define GRADER_PAGE_HINTS_H

#include <stdint.h>

#include "judge/lab_parts.h"
#include "base/page_layout.h"

typedef struct hints_choice {
    uint64_t check;       /* from 1; 0: the first that failed in the last result */
    uint64_t level;       /* from 1; 0: the next one */
    const char *out;      /* the folder of the last result */
    const char *progress; /* the file that remembers which hints were taken; NULL: the first is always next */
} hints_choice;

/* Prints one hint. False with a fault if there is none of that number. */
bool hints_print(const text_page *page, const lab_parts *kit, const hints_choice *choice, grader_fault *fault);

#endif
