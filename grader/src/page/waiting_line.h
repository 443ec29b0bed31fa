/*
 * waiting_line.h: tells a person who waits for a check which one runs, for how long, and when it will be ended.
 * It knows the sentence and when it is worth saying; the job has the clock.
 */
#ifndef GRADER_PAGE_WAITING_LINE_H
#define GRADER_PAGE_WAITING_LINE_H

#include "base/live_line.h"
#include "judge/job.h"

/* A watcher for a job that writes to `line`, which the caller owns. */
job_watcher waiting_line_watcher(live_line *line);

#endif
