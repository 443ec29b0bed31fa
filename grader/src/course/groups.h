/*
 * groups.h: work that a group handed in, where the download does not say who is in the group and the roster does. It knows
 * the names of submissions and the roster; not what is in a submission. Gradescope's downloads say it themselves (intake.h).
 */
#ifndef GRADER_COURSE_GROUPS_H
#define GRADER_COURSE_GROUPS_H

#include <stdbool.h>

#include "base/fault.h"
#include "intake/intake.h"
#include "roster.h"

/* Makes a submission that is called like a group of the roster one of each of its members, and notes what of groups does
 * not fit together. Does nothing without groups on the roster. */
bool groups_share(intake *taken, const roster *students, grader_fault *fault);

#endif
