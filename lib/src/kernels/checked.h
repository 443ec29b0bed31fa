/* Kernels that are built for checking: what their launches have found so far, and the device process's ledger. */
#ifndef LAB_KERNELS_CHECKED_H
#define LAB_KERNELS_CHECKED_H

#include "cpu/apart/apart_shared.h"
#include "cpu/checks/memcheck.h"

/* Turns the device process's checks on. */
void checked_open(apart_head *head);

/* The calling thread asks on this channel which memory there is. */
void checked_ask_on(wire_channel *channel);

/* Runs blocks for the request. */
bool checked_run(kernel_error *error, const kernel_blocks *blocks, const apart_run *request);

#endif
