/*
 * grading_page.h: reports a grading under way: a line for each result, and on a terminal how much is done and how long
 * the rest may take. OUT/grading.jsonl has the same for programs, one JSON object a line. Independent of how results
 * come about.
 */
#ifndef GRADER_CLASS_GRADING_PAGE_H
#define GRADER_CLASS_GRADING_PAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/live_line.h"
#include "base/page_layout.h"

typedef struct grading_page {
    text_page page;
    live_line progress; /* on the same page */
    FILE *log;
    double begun;
    int64_t left, done; /* jobs, without those that needed no work */
    bool several_labs;  /* lines name the lab */
} grading_page;

/* Begins the page and the log for `left` jobs; `kept` more have their results from before. */
bool grading_page_begin(grading_page *page, const char *out, int64_t grading, int64_t left, int64_t kept,
                        grader_fault *fault);

/* Reports a result, in the form of its schema. */
void grading_page_result(grading_page *page, const json_t *result);

/* Reports a fault of the grader, after which the job will be tried again. */
void grading_page_retry(grading_page *page, const char *name, const char *why);

/* Ends the log with "done" or the sentence of a fault. */
void grading_page_end(grading_page *page, const char *how);

/* "2 h 05 min", "3 min", "40 s". */
void grading_page_duration(char *text, size_t bytes, double seconds);

#endif
