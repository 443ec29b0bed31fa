/*
 * grounds.h: what a check that passes rests on.
 *
 * Numbers and record are one piece of evidence: outputs count with the flow that brought them, and an order or a time
 * counts with the outputs of the same run. The harness keeps what the body looks at and what check_flow proves, run by
 * run, and compares them when the body has ended.
 */
#ifndef GRADER_HARNESS_PROGRAM_GROUNDS_H
#define GRADER_HARNESS_PROGRAM_GROUNDS_H

#include "check.h"

/* Forgets all runs: a body begins. */
void grounds_begin(void);

/* The program begins a run: what is told of it from here on belongs to that. */
void grounds_run_begins(const check_program *program);

/* The body has copied so many bytes of the program's memory, as outputs. */
void grounds_copied(const check_program *program, size_t bytes);

/* The body has read the run's record. */
void grounds_recorded(const check_program *program, const lab_trace *trace);

/* The body judges the order of this record, or what it would take elsewhere. */
void grounds_ordered(const lab_trace *trace);

/* Begins or ends a measurement, whose samples keep no flow: that of another run in the same check stands for them. */
void grounds_measure(bool begins);

/* The body shows times of the student's program. */
void grounds_timed(void);

/* The body makes calls fail. */
void grounds_failed(void);

/* check_flow has followed the outputs of the run with this record. */
void grounds_proven(const lab_trace *trace);

/* The body has ended, and nothing has failed. Ends the check as a fault of the grader if it has looked at more than it
 * has proven. */
void grounds_settle(void);

#endif
