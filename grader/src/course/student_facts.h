/*
 * student_facts.h: what is known of students and labs beside their results, as JSON that is kept with a grading: who handed in
 * and when, how late that was, who of the roster did not, what could not be taken in. It knows roster, course and
 * intake; not results.
 */
#ifndef GRADER_COURSE_STUDENT_FACTS_H
#define GRADER_COURSE_STUDENT_FACTS_H

#include <jansson.h>

#include "course.h"
#include "intake/intake.h"
#include "roster.h"

/* Of a submission: {id, email, section, submitted, late, attempt}; `late` is {days, percent} or null where nobody knows,
 * `attempt` is {number, of, rule, group}. `lab` may be NULL. */
json_t *student_facts_submission(const submission *entry, const roster *students, const course_lab *lab,
                                 const char *time_zone);

/* Of a lab: {intake, not_handed_in, course}: lists of {name, reason} and of {id, name, email, section}, and {weight,
 * due, visibility} or null. */
json_t *student_facts_lab(const intake *taken, const roster *students, const course_lab *lab);

/* The whole course as it was read, "lab-course/1"; `file` is where it was read from. */
json_t *student_facts_course(const course *settings, const char *file);

/* Adds to a result what is known of its submission, and what its points come to when it was late. */
void student_facts_complete(json_t *result, const char *about);

/* Which attempt a submission is. One that nobody counted is the only one. */
typedef struct student_facts_attempt {
    int number, of;
    course_attempts rule;
    char submitted[64]; /* as the learning system has it; "" if it does not say */
    char group[64];     /* names the submission if a group handed it in; else "" */
} student_facts_attempt;
student_facts_attempt student_facts_read_attempt(const char *about);

#endif
