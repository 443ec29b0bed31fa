/* Memory above the seam: what arrays and launches need beyond lab.h. */
#ifndef LAB_OBJECTS_MEMORY_H
#define LAB_OBJECTS_MEMORY_H

#include "ranges.h"
#include "stream.h"

/* Allocates on a given context; lab_mem_alloc is this on the current one. */
lab_status memory_alloc_on(uint64_t *address, struct context *on, size_t bytes, const char *call);

/* Pins host memory of a given context; lab_host_alloc is this on the current one. */
lab_status memory_host_alloc_on(void **out, struct context *on, size_t bytes, const char *call);

/* The allocation, or the variable of a module, that holds the device address; of a pool's memory the block in use, to the
 * bytes asked for. */
bool memory_find_device(range *found, uint64_t address);

/* The pinned host memory that holds the address: all of a pool's block. */
bool memory_find_pinned(range *found, uint64_t address);

/* Says, before work is enqueued, that the stream uses what was found: a pool must not reuse it too early. */
lab_status memory_note_use(const range *found, struct stream *user, const char *call);

/* Copies between host and device memory, checked and recorded; whether host memory is pinned is found out here. */
lab_status memory_copy(const backend_copy *copy, lab_stream *stream, const char *call);

#endif
