/*
 * predictions.h: what the model says a run's records would take on another device, next to what they took here. The
 * trace library models; this file knows the table.
 */
#ifndef GRADER_PAGE_PREDICTIONS_H
#define GRADER_PAGE_PREDICTIONS_H

#include "base/page_layout.h"
#include "judge/result.h"

/* Prints a row for each check that left a record in `out`: the time of its last record as measured on this device, and
 * as modelled on the device of the profile, which is a name or a path. A record that cannot be read or modelled is a
 * fault. */
bool predictions_print(const text_page *page, const char *out, const grading_result *result, const char *profile,
                       grader_fault *fault);

#endif
