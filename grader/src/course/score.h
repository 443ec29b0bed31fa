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

/* The points that count, out of score_full_points, before any adjustment; below 0 where there are none: the grader
 * failed, or nothing could be measured. */
double score_of(const json_t *result);

/* Adds `score` and `full_points` to a result, as grader/docs/results.md describes them. False only without memory. */
bool score_set(json_t *result);

#endif
