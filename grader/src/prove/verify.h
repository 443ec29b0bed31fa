/*
 * verify.h: the proof that a lab's checks tell right from wrong. The starter fails. The solution passes with full
 * points and differs from the starter in marked places only. Files that do nothing get no point. Each wrong answer, a
 * patch of wrong/ applied to the solution, fails the check that its heading names ("Rejected by: name"). Each check
 * has its hints.
 *
 * Measuring takes long and proves nothing about most wrong answers. Checks that measure run for the solution, the
 * hollow files and the wrong answers that name them. A starter meets the other checks, up to the first that it fails.
 * Knows the result that each file must have; job.h finds out the actual one.
 */
#ifndef GRADER_PROVE_VERIFY_H
#define GRADER_PROVE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/lab_parts.h"
#include "sandbox/device_lock.h"

/* The result of one lab: a row of the table. */
typedef struct verify_row {
    char lab[16];
    bool starter_fails, solution_passes, marks_agree, hints_whole;
    int hollow, hollow_rejected;
    int wrong, wrong_rejected;
} verify_row;

typedef struct verify_counts {
    int passed;
    int failed;
} verify_counts;

typedef struct verify_options {
    const char *build; /* where make built the labs: BUILD/NAME/wrong/ holds the wrong answers, applied */
    uint64_t seed;
    bool all_checks;      /* every file meets every check, and its line names all that it fails */
    unsigned turn, turns; /* of the wrong answers only every turns-th, from the turn-th on, 1 to turns; 0 for all */
    FILE *out;
    device_lock *lock; /* shared with other jobs on the device; NULL for none */
} verify_options;

/* Proves one lab, prints a line for each file, and adds to the counts. Returns false with a fault on an error of the
 * grader's own. */
bool verify_lab(verify_row *row, verify_counts *counts, const lab_parts *parts, const verify_options *options,
                grader_fault *fault);

/* Prints the rows as a table. */
void verify_table(const verify_row *rows, size_t count, FILE *out);

/* The check that a wrong answer names: the word after "Rejected by:" in its patch. NULL without one; the caller
 * frees it. */
char *verify_named_check(const char *patch);

/* What it says after "Cause:" at the beginning of a line: a part of the cause that the check must tell. The caller
 * frees it; NULL without one. */
char *verify_told_cause(const char *patch);

#endif
