/*
 * attempts.h: several submissions of one student to one lab, and which of them counts. It knows names, order and
 * points. Independent of how a submission came in and what it contains.
 */
#ifndef GRADER_COURSE_ATTEMPTS_H
#define GRADER_COURSE_ATTEMPTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/fault.h"
#include "course.h"
#include "intake/intake.h"

/* Finds the lab's file in each submission, numbers the attempts of each student, and puts them together under the name
 * of the latest, in their order. A submission without the file is left out with a note if another one has it. */
bool attempts_number(intake *taken, const intake_wanted *wanted, grader_fault *fault);

/* Whether an attempt is only kept and not graded: the latest one counts, and this one is earlier. */
bool attempts_is_kept_only(const submission *entry, course_attempts rule);

/* Chooses the result that counts among one student's results, which are in order of the attempts and null where one was
 * not graded. `counts` is borrowed from the list; it gets `attempts` and `attempts_rule` as grader/docs/results.md
 * describes them, made of `listed`, which has the facts of each attempt. With COURSE_BEST the points after lateness
 * decide, and of equals the later attempt. A fault of the grader counts if that attempt might have been better. False
 * only without memory. */
bool attempts_choose(json_t **counts, json_t *results, const json_t *listed, course_attempts rule);

#endif
