/* What a test may expect of the device's schedule, and of the order checker. Tests that measure that operations run at the same time, which CUDA
 * promises nowhere, ask here first. */
#ifndef LAB_TESTS_SCHEDULES_H
#define LAB_TESTS_SCHEDULES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether LAB_SCHEDULE asks for one operation at a time, in an order that knows no priorities. */
static inline bool runs_one_at_a_time(void)
{
    const char *schedule = getenv("LAB_SCHEDULE");
    return schedule && *schedule && strcmp(schedule, "concurrent") != 0;
}

/* For tests in which streams meet in memory that nothing orders, as they must to see when the device runs what. Before
 * the first call of the library, which would begin what LAB_ORDER asks for. */
static inline void races_on_purpose(void) { unsetenv("LAB_ORDER"); }

#endif
