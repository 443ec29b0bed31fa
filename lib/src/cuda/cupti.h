/*
 * CUPTI, NVIDIA's library that knows when the GPU ran what. Between begin and end every operation that is enqueued between
 * push and pop gets its times. Where the library or its headers are missing, or the driver refuses it, begin says no.
 */
#ifndef LAB_CUDA_CUPTI_H
#define LAB_CUDA_CUPTI_H

#include "seam/backend.h"

/* Begins to collect; false if that is not possible here. */
bool cuda_cupti_begin(void);

/* Around the launch of a graph. CUPTI would trace its nodes, and with copies on two branches that ended processes with
 * CUDA_ERROR_LAUNCH_FAILED (CUPTI of CUDA 13.0, driver 580.159.04, an H200); traced as a whole, with
 * CUPTI_ACTIVITY_KIND_GRAPH_TRACE, the first graph ended them. Work that is enqueued meanwhile is left to events. */
void cuda_cupti_rest(void);
void cuda_cupti_resume(void);
bool cuda_cupti_rests(void);

/* What the calling thread enqueues between the two is this operation. */
void cuda_cupti_push(backend_times *times);
void cuda_cupti_pop(void);

/* All that was enqueued is done: writes the times and stops collecting. */
void cuda_cupti_end(void);

#endif
