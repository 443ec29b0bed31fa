/* Device and pinned host memory: what arrays, pools and launches need beyond lab.h. */
#ifndef LAB_OBJECTS_WORK_MEMORY_H
#define LAB_OBJECTS_WORK_MEMORY_H

#include "objects/contexts/ranges.h"
#include "objects/contexts/stream.h"

/* Allocates in a given context. lab_mem_alloc allocates in the current one. `call` names the public function for
 * messages, here and below. */
lab_status memory_alloc_on(uint64_t *address, struct context *context, size_t bytes, const char *call);

/* Allocates pinned host memory in a given context. lab_host_alloc allocates in the current one. */
lab_status memory_host_alloc_on(void **out, struct context *context, size_t bytes, const char *call);

/* Makes pinned memory that begins at the address managed memory: it counts as device memory too. False if none begins
 * there. */
bool memory_make_managed(uint64_t address);

/* Finds the allocation, the variable of a module or the managed memory that holds the device address. In pool memory:
 * the requested bytes of the block in use. Managed memory is `pinned`. */
bool memory_find_device(range *found, uint64_t address);

/* Finds the pinned host memory that holds the address. In pool memory: the whole block. */
bool memory_find_pinned(range *found, uint64_t address);

/* Finds the memory of either kind that the driver has given at this address: a pool's chunk as a whole, whatever of it
 * is in use. Locks no pool. */
bool memory_find_allocation(range *found, uint64_t address);

/* Where the next such memory behind the address begins; UINT64_MAX if there is none. */
uint64_t memory_next_allocation(uint64_t address);

/* Notes, before work is enqueued, that the stream uses the memory found, so that a pool does not reuse it too early. */
lab_status memory_note_use(const range *found, struct stream *user, const char *call);

/* Checks, records and enqueues a copy. Finds out itself whether host memory is pinned. If it waits, objects that the
 * caller has found may be released meanwhile. */
lab_status memory_copy(const backend_copy *copy, lab_stream *stream, const char *call);

#endif
