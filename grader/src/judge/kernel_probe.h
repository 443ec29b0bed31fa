/*
 * kernel_probe.h: proves, before anything is graded, that C compiles, and that a kernel compiles and runs, where
 * submissions will run. A compiler or device that is missing only there would look like every student's mistake.
 * It knows the reference program's own probe and the sandbox. Independent of what a lab asks for.
 */
#ifndef GRADER_JUDGE_KERNEL_PROBE_H
#define GRADER_JUDGE_KERNEL_PROBE_H

#include "lab_parts.h"
#include "sandbox/sandbox.h"

/* Runs the compiler and `reference --probe` in the sandbox, or outside where `box` is NULL. The fault carries the
 * program's own words. */
bool kernel_probe_run(const sandbox *box, const lab_parts *parts, grader_fault *fault);

#endif
