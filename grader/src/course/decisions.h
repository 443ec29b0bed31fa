/*
 * decisions.h: what persons decided about a lab as a whole: how many points a check counts, and whether results are
 * held back or released, for everybody or for a section. It knows decisions and results as JSON. Of several decisions,
 * which are in the order in which they were made, each changes what the earlier ones left.
 */
#ifndef GRADER_COURSE_DECISIONS_H
#define GRADER_COURSE_DECISIONS_H

#include <jansson.h>
#include <stdbool.h>

/* Whether one of a lab's adjustments is about the lab itself, not about a student. */
bool decisions_is_one(const json_t *adjustment);

/* Those of a lab's adjustments that are about the lab itself: a list, yours. */
json_t *decisions_of(const json_t *adjustments);

/* Gives the checks of a result, as the grader found it, the points that the decisions say, and the result their sums.
 * Of a check that gave a part of its points that part of the new points counts. Such a check also gets `weighed`, with
 * the grader's own {points, max_points}. */
void decisions_weigh(json_t *result, const json_t *decisions);

/* Whether the results of a section are held back; `settings` are the lab's, or null. */
bool decisions_hold(const json_t *decisions, const json_t *settings, const char *section);

#endif
