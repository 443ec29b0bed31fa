/*
 * grading_parts.h: a grading that several machines do. One of them plans it, any number of them do a part each, and one
 * merges what they found. Only the planning and the merging one open the database of grades; the others read the plan
 * (plan.h) and leave one outcome (outcome.h) for each submission. Independent of what starts the parts: a batch system,
 * a CI, a person.
 */
#ifndef GRADER_CLASS_GRADING_PARTS_H
#define GRADER_CLASS_GRADING_PARTS_H

#include "grading.h"

/* Plans a grading in OUT/+plan; `device` is what its machines must have, "cpu" or "cuda", or "" for whatever each has.
 * Results of an unfinished earlier plan are merged first. `count` is the number of submissions to grade. */
bool grading_plan(const grading_settings *settings, const grading_request *request, const char *device, size_t *count,
                  grader_fault *fault);

/* A part of a plan: number `part` of `parts`, from 1. */
typedef struct grading_part {
    size_t part, parts;
} grading_part;

/* Grades what has no result yet in a part of OUT's plan. `left` is the number of those that this machine could not
 * grade. */
bool grading_work(const grading_settings *settings, const grading_part *part, size_t *left, grader_fault *fault);

/* What to merge into OUT's grades besides its own plan. */
typedef struct grading_merging {
    const char *const *from; /* other folders of results with a plan, or copies of plans */
    size_t count;
    bool give_up; /* submissions that nobody could grade become grader faults */
} grading_merging;

/* Takes the outcomes in. When no submission waits for one, writes results.json and removes OUT's plan. `left` is the
 * number of those that wait. */
bool grading_merge(const grading_settings *settings, const grading_merging *merging, size_t *left, grader_fault *fault);

#endif
