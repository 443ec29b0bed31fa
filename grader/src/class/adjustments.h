/*
 * adjustments.h: the adjustments that hold in a lab, and which of them are a student's. It knows their JSON, as
 * grader/docs/results.md describes it.
 */
#ifndef GRADER_CLASS_ADJUSTMENTS_H
#define GRADER_CLASS_ADJUSTMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/fault.h"
#include "store/adjustments.h"

/* The adjustments of a lab that are not revoked, in their order: a list, yours. Each also has `student` and `id`. */
bool adjustments_read(json_t **out, grade_store *store, const char *lab, grader_fault *fault);

/* An adjustment in the form of that list, yours; NULL without memory. */
json_t *adjustments_json(const store_adjustment *adjustment);

/* The name of a result's submission, or of a student of the roster, who may have an id alone. Borrowed. */
const char *adjustments_name(const json_t *result);

/* "30 of 100", "excused", "no points": the points that count by a result; yours, NULL without memory. */
char *adjustments_score_text(const json_t *result);

/* Those of the list that are about the student of a result, or about a student of the roster without a submission: by
 * id where both sides know it, else by the submission's name or the name in the roster. A list, yours; its entries are
 * without `student` and `id`. */
json_t *adjustments_of(const json_t *all, const json_t *result);

#endif
