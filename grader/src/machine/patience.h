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

#include <stdbool.h>

#include "processor_time.h"

typedef struct patience {
    double limit;
    double added;         /* to the limit so far */
    double passed;        /* seconds of all waits so far: the caller's to count */
    machine_time begun;   /* the machine at the beginning */
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

/* Looks at processes that are waited for, one after another at equal distances of time. */
typedef struct patience_looks {
    double ready; /* seconds in which their threads had a processor or waited for one, at the last look */
    int idle;     /* looks in a row, up to the last, that found nothing to do */
} patience_looks;

enum { PATIENCE_LOOKS = 10 };

/* Takes a look, `apart` seconds after the one before. `running` is what the processes had so far, `busy` whether they
 * had something to do just then. When PATIENCE_LOOKS looks in a row found nothing to do, and almost nothing between
 * them, what the processes wait for never happens. Processes that wait for a processor or a disk have something to do:
 * a busy machine never counts. */
void patience_look(patience_looks *looks, double apart, processor_time running, bool busy);

#endif
