/*
 * adjusting.h: persons adjust results: they give points, set a verdict aside, extend a due time, excuse, comment, and
 * revoke that; they change what a check counts, and hold results back or release them. It keeps adjustments in the
 * store and writes results.json again; the grader's own results stay as they are.
 */
#ifndef GRADER_ADJUST_ADJUSTING_H
#define GRADER_ADJUST_ADJUSTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/fault.h"

/* What a person decides; NULL for what is not said. */
typedef struct adjusting_request {
    const char *lab;     /* NULL if the folder holds one lab */
    const char *student; /* the submission's name, or the student's id, e-mail or name in the roster */
    const char *group;   /* in place of a student: each member */
    const char *section; /* in place of a student: everybody in it */
    const char *points;  /* "80", "+5", "-2.5" or "excused" */
    const char *due;     /* "2026-11-27 23:59": the due time of the student's own */
    const char *check;   /* whose points they are; NULL for those of the whole lab */
    const char *comment; /* for the student */
    const char *who;     /* NULL for the user's name */
    const char *why;     /* needed */
    bool beyond;         /* more points than there are */
    bool set_aside;      /* the verdict does not stand: the points take its place */
    bool excused, resubmission, lateness_waived;
} adjusting_request;

/* Adjusts results of the grades in the folder, and prints the scores before and after. */
bool adjusting_add(FILE *out, const char *folder, const adjusting_request *request, grader_fault *fault);

/* Makes an adjustment of each row of a CSV file with the columns student, points, comment, why, lab, check and due, of
 * which student is needed. `common` has what a row does not say. Faulty rows are all told on standard error, and then
 * nothing is adjusted. */
bool adjusting_add_table(FILE *out, const char *folder, const char *path, const adjusting_request *common,
                         grader_fault *fault);

/* Changes the points that a check of the lab counts for everybody: `lab`, `check`, `points`, `why`. */
bool adjusting_weigh(FILE *out, const char *folder, const adjusting_request *request, grader_fault *fault);

/* Holds results back, or releases them: of `lab` or of all, of `section` or of everybody. */
bool adjusting_release(FILE *out, const char *folder, bool held, const adjusting_request *request, grader_fault *fault);

/* Revokes adjustment `number`. */
bool adjusting_revoke(FILE *out, const char *folder, int64_t number, const char *who, const char *why,
                      grader_fault *fault);

/* Lists all adjustments, or those of a student or lab, with those that are revoked. */
bool adjusting_list(FILE *out, const char *folder, const char *student, const char *lab, grader_fault *fault);

#endif
