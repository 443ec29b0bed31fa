/*
 * work_on_gpus.h: a part of a plan on several GPUs of one machine, with a process for each. Knows how CUDA names GPUs;
 * independent of how a submission is graded.
 */
#ifndef GRADER_PROGRAMS_WORK_ON_GPUS_H
#define GRADER_PROGRAMS_WORK_ON_GPUS_H

#include <stdbool.h>

#include "base/fault.h"
#include "class/grading_parts.h"

/* Does a part with a process for each GPU of a list, such as "0,1": it sees no other GPU, as CUDA_VISIBLE_DEVICES names
 * it, and grades its share of the part. *left says whether submissions are left. After a fault on one GPU the others
 * still do their shares. */
bool work_on_gpus(const grading_settings *settings, const grading_part *part, const char *gpus, bool *left,
                  grader_fault *fault);

#endif
