/*
 * Scratch memory: device memory that a generated kernel needs while it runs, kept for the next one. The first
 * SCRATCH_ZEROS bytes are 0 whenever a block is taken: who writes there puts the zeros back.
 */
#ifndef LAB_POOLS_WORKSPACE_H
#define LAB_POOLS_WORKSPACE_H

#include "objects/stream.h"

enum { SCRATCH_ZEROS = 256 };

typedef struct scratch scratch;

/* A block for work about to be enqueued on the stream: SCRATCH_ZEROS bytes and `bytes` more after them. */
lab_status scratch_take(scratch **out, size_t bytes, const struct stream *on);

uint64_t scratch_address(const scratch *of);

/* Gives the block back once the work that uses it is enqueued, or was not: later work of the stream may use it at once,
 * other streams' when it is done. NULL is accepted. */
void scratch_give(scratch *of, const struct stream *on);

#endif
