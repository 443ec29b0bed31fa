/* Pinned memory pools: what memory.c asks about an address inside their memory. The rest is in lab.h. */
#ifndef LAB_POOLS_POOL_PINNED_H
#define LAB_POOLS_POOL_PINNED_H

#include "objects/ranges.h"
#include "objects/stream.h"

/* Whether the block of a pinned pool, which is the whole range, is in use. */
bool pinned_pool_narrow(const range *found, uint64_t address);

/* Notes that the stream uses the block. */
lab_status pinned_pool_note_use(const range *found, struct stream *user, const char *call);

#endif
