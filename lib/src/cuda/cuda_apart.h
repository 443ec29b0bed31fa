/*
 * The CUDA devices for a program in another process (base/host_memory.h). Memory of the program that this process has
 * too is pinned and copied by the driver as usual, unless the bytes of copies are kept. Any other memory is reached by
 * evidence_upload and _deliver: pinned memory by a host function next to the copy on its stream, pageable memory by
 * the calling thread.
 */
#ifndef LAB_CUDA_CUDA_APART_H
#define LAB_CUDA_CUDA_APART_H

#include "cuda_device_state.h"

/* The entries of `table`, with those that name host memory replaced. Entries that enqueue or wait fail once a host
 * function of the library has found no memory. The table lasts until the process ends. */
const lab_backend *cuda_apart_backend(const lab_backend *table);

/* ---- cuda_apart_copy.c ---- */

/* Opens a buffer of the size of pinned memory of the program, for the copies that the driver cannot make directly. If
 * this process lacks the memory, these are all. If the driver has pinned the memory itself (`beside`), they are those
 * whose bytes are kept, and the first of them makes the pages. The buffer stays as long as copies use it. The context
 * is current. */
lab_status cuda_bounce_open(uint64_t address, size_t bytes, bool beside);

/* Returns whether there was such a buffer of memory that the driver has not pinned. */
bool cuda_bounce_close(uint64_t address);

/* A copy between the device and the program's memory. */
lab_status cuda_apart_copy(backend_stream *stream, const backend_copy *copy, backend_times *times);

#endif
