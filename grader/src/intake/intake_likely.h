/*
 * intake_likely.h: which file of a submission is probably the lab's, where none has its name. Only a person takes it.
 */
#ifndef GRADER_INTAKE_INTAKE_LIKELY_H
#define GRADER_INTAKE_INTAKE_LIKELY_H

#include <stdbool.h>

#include "intake.h"
#include "intake_walk.h"

/* Finds the file with the most of the starter's lines, or the only one that is not empty. *out is its path in the
 * submission, which the caller frees, or NULL for none. False only without memory. */
bool intake_likely_find(char **out, const intake_walk *walk, const intake_wanted *wanted);

#endif
