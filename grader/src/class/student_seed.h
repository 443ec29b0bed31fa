/*
 * student_seed.h: the seed of one student's inputs, derived from the class's. What one submission leaves for another is
 * then of no use, and a grading repeats all the same. A lab's sizes do not depend on seeds, so that all inputs are
 * equally hard. Independent of where the class's seed comes from.
 */
#ifndef GRADER_CLASS_STUDENT_SEED_H
#define GRADER_CLASS_STUDENT_SEED_H

#include <stdint.h>

/* The members of a group share a submission, and so its seed; `group` is NULL for a student's own. */
uint64_t student_seed(uint64_t class_seed, const char *name, const char *group);

#endif
