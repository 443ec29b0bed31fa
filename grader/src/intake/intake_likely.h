/*
 * intake_likely.h: which file of a submission is probably the lab's, where none has its name. Only a person takes it.
 */
#ifndef GRADER_INTAKE_INTAKE_LIKELY_H
#define GRADER_INTAKE_INTAKE_LIKELY_H

#include <stdbool.h>

#include "intake.h"
#include "intake_walk.h"

/* Finds the file that could be the lab's: a text named like a source, or like the lab's file without the ending, that
 * has lines of the starter or is the only source. Of several, one with at least twice as many of these lines as any
 * other is out->likely; otherwise out->note names them. False only without memory. */
bool intake_likely_find(submission_file *out, const intake_walk *walk, const intake_wanted *wanted);

/* Whether a person may take the file for the lab's: NULL for yes, or what it is that no C source can be. */
const char *intake_likely_refusal(const walked_file *file);

#endif
