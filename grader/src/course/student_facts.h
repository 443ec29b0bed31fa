/*
 * student_facts.h: what is known of students and labs besides their results, as JSON that is kept with a grading: who
 * submitted when and how late, which students of the roster did not, what could not be taken in. It knows roster,
 * course and intake.
 */
#ifndef GRADER_COURSE_STUDENT_FACTS_H
#define GRADER_COURSE_STUDENT_FACTS_H

#include <jansson.h>

#include "course.h"
#include "intake/intake.h"
#include "roster.h"

/* Facts of a submission: {id, name, email, section, groups, submitted, late, attempt, handed_in, roster}. `late` is
 * {days, percent, seconds, over}, or null where it is not known: `seconds` count from the class's due time, `over` is
 * how many were too many, or null (grader/docs/results.md). `attempt` is {number, of, rule, group}. `lab` may be
 * NULL. */
json_t *student_facts_submission(const submission *entry, const roster *students, const course_lab *lab,
                                 const char *time_zone);

/* Facts of a lab, {intake, not_handed_in, course}: lists of {name, reason} and of {id, name, email, section,
 * groups}, and the lab's settings or null. */
json_t *student_facts_lab(const intake *taken, const roster *students, const course_lab *lab, const char *time_zone);

/* The whole course as it was read from `file`, "lab-course/1". */
json_t *student_facts_course(const course *settings, const char *file);

/* Adds the facts of its submission to a result, and the points that lateness leaves. */
void student_facts_complete(json_t *result, const char *facts);

/* Sets the lateness of a result to that by a due time of the student's own, in UTC, unless the class's is later.
 * `settings` are the lab's, in the facts of the lab. A result whose time is not known stays as it is. */
void student_facts_extend(json_t *result, const json_t *settings, const char *due);

/* Number `number` of the student's `count` attempts. */
typedef struct student_facts_attempt {
    int number, count;
    course_attempts rule;
    char submitted[64]; /* as the learning system has it; "" if it has none */
    char group[64];     /* names the submission of a group; else "" */
} student_facts_attempt;

/* Reads the attempt from the facts of a submission; one without a number is the only one. */
student_facts_attempt student_facts_read_attempt(const char *facts);

#endif
