/* Memory above the seam: what arrays and launches need beyond lab.h. */
#ifndef LAB_SRC_MEMORY_H
#define LAB_SRC_MEMORY_H

#include "stream.h"

/* Allocates on a given context; lab_mem_alloc is this on the current one. */
lab_status memory_alloc_on(uint64_t *address, struct context *on, size_t bytes, const char *call);

/* Copies between host and device memory, checked and recorded; whether host memory is pinned is found out here. */
lab_status memory_copy(const backend_copy *copy, lab_stream *stream, const char *call);

#endif
