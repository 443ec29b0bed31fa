/*
 * How far the kernels that are checked have come: a number that grows while one of them gets on. A kernel that only
 * reads the same few addresses again and again, as one does that waits, does not get on. Independent of what grows.
 */
#ifndef LAB_SEAM_PROGRESS_H
#define LAB_SEAM_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

/* A checked kernel gets on. */
void progress_note(void);

uint64_t progress_made(void);

/* Keeps the number at this place, which two processes share. */
void progress_keep_at(_Atomic uint64_t *place);

#endif
