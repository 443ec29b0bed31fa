/*
 * slurm_command.h: hands a plan to Slurm. grader/cluster/slurm.py speaks with Slurm: it writes the batch script,
 * submits it, follows it, and calls `labgrade merge`; this process becomes it.
 */
#ifndef GRADER_PROGRAMS_SLURM_COMMAND_H
#define GRADER_PROGRAMS_SLURM_COMMAND_H

#include <stdbool.h>

#include "base/fault.h"
#include "class/grading.h"

/* What the command line says of the cluster, as text; NULL for nothing. */
typedef struct slurm_options {
    const char *array_size, *partition, *gres, *time, *jobs, *device, *memory;
} slurm_options;

/* Writes the script for the plan in OUT; with `submits` submits and follows it. Returns only after a fault. */
bool slurm_command_start(const grading_settings *settings, const slurm_options *options, bool submits,
                         grader_fault *fault);

/* Whether OUT has a plan with a script. */
bool slurm_command_is_under_way(const char *out);

/* Follows it further, and submits what has to be done again. Returns only after a fault. */
bool slurm_command_follow(const grading_settings *settings, grader_fault *fault);

#endif
