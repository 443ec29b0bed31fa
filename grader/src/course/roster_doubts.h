/*
 * roster_doubts.h: what an instructor should know about whom submissions belong to: those of nobody on the roster, with
 * the nearest students, and those whose id is one student's and whose name is another's.
 */
#ifndef GRADER_COURSE_ROSTER_DOUBTS_H
#define GRADER_COURSE_ROSTER_DOUBTS_H

#include <jansson.h>

#include "intake/intake.h"
#include "roster.h"

/* {found, doubt, nearest}: whether the submission has a student, a sentence or "", and the nearest students of a
 * submission without one, {id, name} each. Null without a roster. */
json_t *roster_doubts_json(const roster *students, const submission *entry);

/* Notes each doubt, once for all attempts of a submission. Where no submission at all has a student, one note tells how
 * the roster was read. Called after groups_share and attempts_number. */
void roster_doubts_note(intake *taken, const roster *students);

#endif
