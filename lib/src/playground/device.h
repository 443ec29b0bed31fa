/*
 * The device of the playground: it accepts all work and does none. It stands where the CPU device does, behind
 * seam/backend.h, so that the library's own calls make the record and the order checker follows them, in a browser too.
 * One thread at a time.
 */
#ifndef LAB_PLAYGROUND_DEVICE_H
#define LAB_PLAYGROUND_DEVICE_H

#include "seam/backend.h"

/* Host memory that the program has from malloc: an address, behind which there is nothing. The device gives its own
 * memory and pinned memory in the same way, and has all of it back with lab_device_reset. */
void *play_pageable(size_t bytes);

/* The source of a module, a kernel a line: "produce rw-", with a letter for each parameter, which are all pointers: r
 * for one that is read, w for one that is written, b for both. */
enum { PLAY_SOURCE_BYTES = 4096 };

#endif
