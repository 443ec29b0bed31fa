/*
 * patience.h: how long the grader waits for processes on a machine that others use too.
 *
 * A limit is in seconds of a machine that has a processor for these processes. Time in which they wait for one because
 * others have it is added to the limit, and so is time in which they wait for a device that is at work on its own. The
 * processes' own load does not count, and what is added has a bound. So a program that is right is never late because
 * the machine is busy, and one that never ends is not waited for without end.
 */
#ifndef GRADER_MACHINE_PATIENCE_H
#define GRADER_MACHINE_PATIENCE_H

#include "processor_time.h"

typedef struct patience {
    double limit;
    double added;         /* to the limit so far */
    double passed;        /* seconds of all waits so far: the caller's to count */
    double others;        /* processor_time_of_others() at the beginning */
    double device;        /* seconds in which devices were at work on their own: the caller's to count. At most three
                             times the limit are added for them */
    processor_time ended; /* of the processes that have ended: the caller's to add */
} patience;

void patience_begin(patience *out, double limit);

typedef enum patience_answer {
    PATIENCE_OVER, /* the processes had what the limit gives them */
    PATIENCE_MORE, /* they did not: wait so many seconds more */
    PATIENCE_BUSY, /* they did not, and nothing more is added: at most nine times the limit, but at least a minute */
} patience_answer;

/* What to do at the deadline. `running` is what the processes that still run had so far, `others` what all processes
 * but those used since the beginning. */
patience_answer patience_judge(patience *given, double *more, processor_time running, double others);

/* The same by the machine's own numbers. `running` is to have all that the caller has started and not waited for. */
patience_answer patience_ask(patience *given, double *more, processor_time running);

#endif
