/* What a test may expect of the device's schedule and of the order checker. Tests that check whether operations run at
 * the same time, which CUDA never promises, ask here first. */
#ifndef LAB_TESTS_SCHEDULES_H
#define LAB_TESTS_SCHEDULES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether LAB_SCHEDULE runs one operation at a time, in an order that ignores priorities. */
static inline bool runs_one_at_a_time(void)
{
    const char *schedule = getenv("LAB_SCHEDULE");
    return schedule && *schedule && strcmp(schedule, "concurrent") != 0;
}

/* Turns the order checker off, for tests in which streams share memory without order, to observe when the device runs
 * their work. Call this before the first call of the library, which reads LAB_ORDER. */
static inline void races_on_purpose(void) { unsetenv("LAB_ORDER"); }

#endif
