/*
 * accounts.h: the student's account in the name of a submission that begins with the assignment's: "lab03-ada" of
 * GitHub Classroom, "Lab 3_ada" of Blackboard. Either part may hold the character between the two, so that only all
 * names together tell where the account begins. It knows names and the roster.
 */
#ifndef GRADER_COURSE_ACCOUNTS_H
#define GRADER_COURSE_ACCOUNTS_H

#include <stdbool.h>

#include "base/fault.h"
#include "intake/intake.h"
#include "roster.h"

/* Finds the beginning that more than half of the names have and behind which most accounts of the roster stand; of
 * several the shortest, so that the longest account counts. What stands behind it is each submission's account; of
 * Blackboard's also its name and id. Notes where that is uncertain. Called before anything else asks whose they are. */
bool accounts_find(intake *taken, const roster *students, grader_fault *fault);

#endif
