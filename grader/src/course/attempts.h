/*
 * attempts.h: several submissions of one student to one lab, and which of them counts. It knows names, order and points;
 * not how a submission came in and not what is in it.
 */
#ifndef GRADER_COURSE_ATTEMPTS_H
#define GRADER_COURSE_ATTEMPTS_H

#include <jansson.h>
#include <stdbool.h>

#include "course.h"
#include "base/fault.h"
#include "intake/intake.h"

/* Numbers the attempts of each student, and lets them stand together under the name of the latest, in their order. One
 * without the lab's file is no attempt if another has it: it is noted and left out. */
bool attempts_number(intake *taken, const char *file, grader_fault *fault);

/* Whether an attempt is only kept and not graded: the course lets the latest one count, and it is not that. */
bool attempts_is_kept_only(const submission *entry, course_attempts rule);

/* Of one student's results, in order of the attempts and null where one was not graded, the one that counts (borrowed
 * of the list); it gets `attempts` and `attempts_rule` as grader/docs/results.md describes them, made of `listed`, what
 * is known of each attempt. With COURSE_BEST points count as lateness leaves them, and of equals the later. A fault of
 * the grader counts if that attempt might have been better. False only without memory. */
bool attempts_choose(json_t **counts, json_t *results, const json_t *listed, course_attempts rule);

#endif
