/*
 * score.h: the points that count for a student in a lab: those of the checks, in proportion where some could not be
 * measured, less what lateness costs, and as persons adjusted them. Everything that shows or exports points takes them
 * from here, by way of results.json. It knows results and adjustments as JSON.
 */
#ifndef GRADER_COURSE_SCORE_H
#define GRADER_COURSE_SCORE_H

#include <jansson.h>
#include <stdbool.h>

/* The points of all checks of a result, measured or not. */
int score_full_points(const json_t *result);

/* The points that count, out of score_full_points, before any adjustment; NAN where there are none: the grader
 * failed, or nothing could be measured. */
double score_of(const json_t *result);

/* Adds `score` and `full_points` to a result, and `adjusted` if there are adjustments of its student, which are in the
 * order in which they were made: each changes what the earlier ones left. grader/docs/results.md describes the fields.
 * `full` stands for the full points of a result that has none. The score keeps between 0 and the full points, unless an
 * adjustment may go beyond these. False only without memory. */
bool score_set(json_t *result, const json_t *adjustments, int full);

/* The score that adjustments give, before it is kept within its limits; NAN for none. */
double score_adjusted(const json_t *result, const json_t *adjustments, int full);

/* The points of a check by its name, as the adjustments have it. */
double score_check_points(const json_t *result, const json_t *adjustments, const char *check);

/* The due time that a student has by the adjustments, in UTC; "" for that of the class. Borrowed. */
const char *score_due(const json_t *adjustments);

/* A number of points as short as it is exact to four places; null for NAN. */
json_t *score_json(double score);

/* Takes lateness off a result if an adjustment waives it. */
void score_waive_lateness(json_t *result, const json_t *adjustments);

#endif
