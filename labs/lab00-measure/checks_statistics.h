/* Numbers of times that are known to lie between bounds. */
#ifndef LAB00_CHECKS_STATISTICS_H
#define LAB00_CHECKS_STATISTICS_H

#include "check.h"

static inline double middle(check_bounds time) { return (time.low + time.high) / 2; }

static inline double half_width(check_bounds time) { return (time.high - time.low) / 2; }

/* Median, mean, deviation, least, most. All but the deviation grow with each time. The deviation changes by the root
 * mean square of what the times change by, at most. */
void summarize_bounds(check_bounds numbers[5], const check_bounds *time, int count);

#endif
