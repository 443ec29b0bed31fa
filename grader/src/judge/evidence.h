/*
 * evidence.h: merges the evidence of a check into a result. It knows the line of JSON that a check prints and how the
 * check's process should end; a check without whole evidence is a fault of the grader.
 */
#ifndef GRADER_JUDGE_EVIDENCE_H
#define GRADER_JUDGE_EVIDENCE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "base/subprocess.h"
#include "result.h"

/* Merges the output of check number `index`, from 0; `check` is its entry in the manifest. The artifacts in the result
 * are texts until the job places them. If the check reports that a program took too long and `late` is not NULL, sets
 * *late and merges nothing. False only without memory. */
bool evidence_merge(grading_result *result, const json_t *check, size_t index, const subprocess_result *ended,
                    bool *late, grader_fault *fault);

/* Appends the entry of a check that left no evidence: status "not run", "not measured" or "grader fault". */
bool evidence_append_without(json_t *checks, const json_t *check, const char *status, const char *message);

/* The same for a check that does not run because `failed`, an entry of the list, has failed. */
bool evidence_append_needing(json_t *checks, const json_t *check, const json_t *failed, const char *message);

#endif
