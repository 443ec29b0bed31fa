/*
 * starter_marks.h: whether a solution differs from its starter in marked places only.
 *
 * A line of the starter with TODO(n) is marked, and so is the rest of the comment that it begins. With "TODO(n) in this
 * function" the rest of the function is marked, up to a line that begins with its brace. Solving replaces the marked
 * lines and adds lines there; the solution has all other lines of the starter in their order, and no more. It knows
 * lines, and of C only comments.
 */
#ifndef GRADER_PROVE_STARTER_MARKS_H
#define GRADER_PROVE_STARTER_MARKS_H

#include <stdbool.h>

typedef struct starter_marks_finding {
    bool agree;
    int line; /* of the starter, from 1: where the two begin to differ */
    bool out_of_memory;
} starter_marks_finding;

starter_marks_finding starter_marks_compare(const char *starter, const char *solution);

#endif
