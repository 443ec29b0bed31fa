/* evidence_line.h: what the grader reads of a check that has run. */
#ifndef GRADER_HARNESS_RUN_EVIDENCE_LINE_H
#define GRADER_HARNESS_RUN_EVIDENCE_LINE_H

#include "check_state.h"

/* Writes the check's one line of JSON to standard output; false if that fails. */
bool evidence_line_write(const check_state *state, const check_ending *ending);

#endif
