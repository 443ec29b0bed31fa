/* The rules of lab 03's contract that the record of a call shows. Each function fails the check if its rule is broken,
 * with the line and the cause. None of them looks at times. */
#ifndef LAB03_CHECKS_RULES_H
#define LAB03_CHECKS_RULES_H

#include "checks_run.h"

/* "copy in", "kernel" or "copy out". */
const char *step_of(const lab_trace_op *op);

/* The host has waited for every copy out. */
void rule_waits(const passages *found, const char *function);

/* Array k is on stream k % streams, in a run of small_size. Which streams these are does not matter. */
void rule_streams(const passages *found, const char *function);

/* A thread that has begun an array enqueues all of it before another. */
void rule_depth_first(const passages *found, const char *function);

/* All copies in are enqueued before the first kernel, and all kernels before the first copy out. */
void rule_breadth_first(const passages *found);

/* The host and the device are free to work on all arrays at once. */
void rule_overlap(const passages *found, const char *function);

/* Whatever `made_by` made of this kind in the record (lab_lifetime has the nouns), `function` has released. */
void rule_closed(const lab_trace *trace, const char *noun, const char *made_by, const char *function);

/* Calls the function, with nothing recorded before, and returns the record. Nothing that it made outlives the call. */
const lab_trace *rule_given_back(run *this_run, const char *function);

#endif
