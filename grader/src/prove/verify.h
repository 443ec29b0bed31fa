/*
 * verify.h: the proof that a lab's checks tell right from wrong: the starter fails, the solution passes with full
 * points and differs from the starter in marked places only, files that do nothing get no point, each file of wrong/ fails
 * the check that its first lines name ("Rejected by: name"), each check has its hints. Measuring takes long and proves
 * nothing of a wrong answer: only solution and hollow files meet the checks that measure, and those that name one. A
 * starter meets the others up to the first that it fails.
 * It knows what must come out; jobs find out what does.
 */
#ifndef GRADER_PROVE_VERIFY_H
#define GRADER_PROVE_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "judge/lab_parts.h"

/* What came of one lab: a row of the table. */
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
    uint64_t seed;
    bool all_checks; /* every file meets every check, and a wrong answer's line names all that it fails */
    FILE *to;
} verify_options;

/* Proves one lab, one line a file; adds to the counts. False with a fault if it could not be done. */
bool verify_lab(verify_row *row, verify_counts *counts, const lab_parts *kit, const verify_options *options,
                grader_fault *fault);

/* Prints the rows as a table. */
void verify_table(const verify_row *rows, size_t count, FILE *to);

/* The check that a wrong answer names: the word after "Rejected by:" in its text, yours to free; NULL if there is
 * none. */
char *verify_named_check(const char *source);

#endif
