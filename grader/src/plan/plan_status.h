/*
 * plan_status.h: how far the machines of a plan are.
 */
#ifndef GRADER_PLAN_PLAN_STATUS_H
#define GRADER_PLAN_PLAN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/fault.h"

/* Prints how many submissions each node has graded, begun, or could not grade. Nothing without a plan in `folder`, a
 * folder of results. */
void plan_status_print(FILE *out, const char *folder);

/* Prints the parts, of so many, that have submissions to grade, as "1-3,7", and how many results are written and not
 * seen here so far. */
bool plan_status_left(FILE *out, const char *folder, size_t parts, grader_fault *fault);

#endif
