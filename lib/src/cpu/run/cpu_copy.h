/* Copies and fills of the CPU devices, as operations of a stream: entries of the backend. */
#ifndef LAB_CPU_RUN_CPU_COPY_H
#define LAB_CPU_RUN_CPU_COPY_H

#include "seam/backend.h"

lab_status cpu_copy(backend_stream *stream, const backend_copy *copy, backend_times *times);
lab_status cpu_fill(backend_stream *stream, uint64_t destination, unsigned char value, size_t bytes,
                    backend_times *times);
void cpu_host_work(const backend_host_work *work);
bool cpu_memory_left(backend_stream *stream, uint64_t address, size_t bytes);

#endif
