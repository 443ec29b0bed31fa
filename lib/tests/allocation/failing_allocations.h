/* Allocations of a thread that fail on purpose, by their number. */
#ifndef LAB_TESTS_FAILING_ALLOCATIONS_H
#define LAB_TESTS_FAILING_ALLOCATIONS_H

#include <stdbool.h>

/* From now on allocations are numbered 1, 2, ..., and those from `first` to `last` fail; 0 means none. */
void allocations_fail(long first, long last);

/* Whether allocations of the calling thread are numbered; at first those of no thread are. */
void allocations_count(bool on);

/* Whether the first that was to fail has been reached. */
bool allocations_failed(void);

#endif
