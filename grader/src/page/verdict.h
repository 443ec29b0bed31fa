/*
 * verdict.h: prints a result as a page for the author of the code: what happened, where, what to do next.
 * The first failure stands last, because the end of a page is what remains on the screen.
 * It knows the layout of a terminal page; the result has the numbers and sentences.
 */
#ifndef GRADER_PAGE_VERDICT_H
#define GRADER_PAGE_VERDICT_H

#include <stdio.h>

#include "base/terminal.h"
#include "judge/result.h"

typedef struct verdict_page {
    FILE *file;
    lab_terminal terminal; /* what the reader can see */
    const char *out;       /* the folder of the artifacts, as the reader types it */
    const char *command;   /* what to run again: "make lab03" */
    const char *build;     /* what every command needs at its end: " BUILD=/tmp/workbook"; "" for nothing */
    const char *variables; /* the same and, for commands of this lab, its file: " BUILD=/tmp/workbook FILE=/tmp/my.c" */
    const char *next_lab;  /* the folder of the lab after this one: "labs/lab04-contexts"; NULL for none */
    const char *lesson;    /* what to read about the first failure, as lesson.h finds it; NULL for nothing */
    const char *predict;   /* the profile for which the records' times are predicted; NULL for none */
    bool whole;            /* every finding in full, and the timeline of a failure too */
} verdict_page;

/* The student's file has one name on the page, its own, also where a message names the lab's. */
void verdict_print(const verdict_page *page, const grading_result *graded);

#endif
