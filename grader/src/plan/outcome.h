/*
 * outcome.h: what a machine found out about one submission of a plan: a folder that appears whole, 000001/result, with
 * outcome.json and the files that grading leaves. The first one to appear counts: a second machine that graded the same
 * submission, because the first seemed lost, gives its own up. So nothing ever has two results.
 *
 * Each submission also has a log, 000001/log, of which node began it and when: clocks of nodes differ, so nothing
 * depends on these times.
 */
#ifndef GRADER_PLAN_OUTCOME_H
#define GRADER_PLAN_OUTCOME_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "plan.h"

/* Makes a folder for a submission's files next to its result. The caller frees it. */
bool outcome_begin(char **folder, const work_plan *plan, size_t number, grader_fault *fault);

/* Makes the folder the submission's result, or removes it if there is one. */
bool outcome_publish(const work_plan *plan, size_t number, const char *folder, const json_t *result,
                     grader_fault *fault);

/* Says that the submission could not be graded here: a result that counts only when nobody has a better one. */
bool outcome_publish_fault(const work_plan *plan, size_t number, const json_t *result, grader_fault *fault);

bool outcome_is_there(const work_plan *plan, size_t number);

/* The submission's result, or its fault, yours; NULL where it is not there, or is not whole. */
json_t *outcome_read(const work_plan *plan, size_t number);
json_t *outcome_read_fault(const work_plan *plan, size_t number);

/* Puts an outcome aside that is not whole or belongs to other work, so that the submission can be graded again. Returns
 * whether there was one. */
bool outcome_set_aside(const work_plan *plan, size_t number);

/* Appends a line to the submission's log: "begins" or "done". A log that cannot be written stops nothing. */
void outcome_note(const work_plan *plan, size_t number, const char *node, const char *what);

/* What the log says: how often a node began, which node was the last, and whether it said "done". */
typedef struct outcome_history {
    int begun;
    char node[128];
    bool done;
} outcome_history;
outcome_history outcome_look_back(const work_plan *plan, size_t number);

#endif
