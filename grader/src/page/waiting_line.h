/*
 * waiting_line.h: what a person who waits for a check is told: which one runs, for how long by now, and when it is ended.
 * It knows the sentence and when it is worth saying; not the clock, which is the job's.
 */
#ifndef GRADER_PAGE_WAITING_LINE_H
#define GRADER_PAGE_WAITING_LINE_H

#include "judge/job.h"
#include "base/live_line.h"

/* What a job is to be watched with; the line stays the caller's. */
job_watcher waiting_line_watcher(live_line *line);

#endif
