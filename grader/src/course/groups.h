/*
 * groups.h: gives a group's submission to its members, where the roster and not the download says who is in the group.
 * It knows the names of submissions and the roster. Gradescope's downloads name the members themselves (intake.h).
 */
#ifndef GRADER_COURSE_GROUPS_H
#define GRADER_COURSE_GROUPS_H

#include <stdbool.h>

#include "base/fault.h"
#include "intake/intake.h"
#include "roster.h"

/* Gives each submission with the name of a group of the roster to all of its members, and notes contradictions between
 * groups and submissions. Does nothing without groups on the roster. */
bool groups_share(intake *taken, const roster *students, grader_fault *fault);

#endif
