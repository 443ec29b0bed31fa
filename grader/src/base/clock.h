/* The grader's clock: seconds of CLOCK_MONOTONIC, which no process can set. */
#ifndef GRADER_BASE_CLOCK_H
#define GRADER_BASE_CLOCK_H

#include "base/monotonic.h"

static inline double clock_seconds(void) { return 1e-9 * (double)monotonic_ns(); }

#endif
