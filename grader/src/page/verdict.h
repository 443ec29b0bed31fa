/*
 * verdict.h: a result as a page for the person who wrote the code: what happened, where, what to do next.
 * It knows how to lay out a terminal page; the numbers and sentences are the result's.
 */
#ifndef GRADER_PAGE_VERDICT_H
#define GRADER_PAGE_VERDICT_H

#include <stdio.h>

#include "judge/result.h"
#include "base/terminal.h"

typedef struct verdict_page {
    FILE *to;
    lab_terminal terminal; /* what the reader can see */
    const char *out;       /* the folder of the artifacts, as the reader types it */
    const char *command;   /* what to run again: "make lab03" */
    const char *variables; /* what every command needs after it: " BUILD=/tmp/workbook"; "" for nothing */
} verdict_page;

void verdict_print(const verdict_page *page, const grading_result *result);

#endif
