/*
 * CUPTI, NVIDIA's library that knows when the GPU ran what. Between begin and end every operation that is enqueued between
 * push and pop gets its times. Where the library or its headers are missing, or the driver refuses it, begin says no.
 */
#ifndef LAB_SRC_CUDA_CUPTI_H
#define LAB_SRC_CUDA_CUPTI_H

#include "backend.h"

/* Begins to collect; false if that is not possible here. */
bool cuda_cupti_begin(void);

/* What the calling thread enqueues between the two is this operation. */
void cuda_cupti_push(backend_times *times);
void cuda_cupti_pop(void);

/* All that was enqueued is done: writes the times and stops collecting. */
void cuda_cupti_end(void);

#endif
