/* Memory of the CPU devices, allocated on the host, and pinned memory: entries of the backend. */
#ifndef LAB_CPU_RUN_CPU_MEMORY_H
#define LAB_CPU_RUN_CPU_MEMORY_H

#include "seam/backend.h"

/* The value of every byte of new device memory: not-a-number in every float, -1 in every integer. */
enum { CPU_FRESH_BYTE = 0xff };

lab_status cpu_memory_alloc(uint64_t *address, backend_context *context, size_t bytes);
lab_status cpu_memory_free(backend_context *context, uint64_t address, size_t bytes);
lab_status cpu_memory_info(size_t *free_bytes, size_t *total_bytes, backend_context *context);
lab_status cpu_host_alloc(void **out, backend_context *context, size_t bytes);
lab_status cpu_host_free(backend_context *context, void *memory, size_t bytes);
lab_status cpu_host_register(backend_context *context, void *memory, size_t bytes);
lab_status cpu_host_unregister(backend_context *context, void *memory, size_t bytes);

#endif
