/* The operations of lab 11's ring, from the record of a call. */
#ifndef LAB11_CHECKS_RING_H
#define LAB11_CHECKS_RING_H

#include "checks_call.h"

/* Fails the check unless there are two kernels and a copy for each device and round, each where it belongs. */
void ring_check_operations(const call *now);

/* Fails the check if a chain of operations, each of which waits for the one before, is longer than it must be. */
void ring_check_chains(const call *now);

#endif
