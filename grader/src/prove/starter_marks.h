/*
 * starter_marks.h: whether a solution is its starter with nothing but the marked places written.
 *
 * A line of the starter that says TODO(n) is marked, and so is the rest of the comment it begins. Solving replaces the
 * marked lines and adds lines there; all other lines of the starter stand in the solution, in their order, and
 * nothing else does. It knows lines, and nothing of C but comments.
 */
#ifndef GRADER_PROVE_STARTER_MARKS_H
#define GRADER_PROVE_STARTER_MARKS_H

#include <stdbool.h>

typedef struct starter_marks_finding {
    bool agree;
    int line; /* of the starter, from 1: as far as the two agree */
    bool out_of_memory;
} starter_marks_finding;

starter_marks_finding starter_marks_compare(const char *starter, const char *solution);

#endif
