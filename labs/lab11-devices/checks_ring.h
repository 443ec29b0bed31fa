/* The operations of lab 11's ring, from the record of a call. */
#ifndef LAB11_CHECKS_RING_H
#define LAB11_CHECKS_RING_H

#include "checks_call.h"

/* Fails the check unless there are two kernels and a copy for each device and round, each where it belongs. */
void ring_check_operations(const call *now);

#endif
