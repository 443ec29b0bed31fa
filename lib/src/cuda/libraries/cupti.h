/*
 * CUPTI, NVIDIA's library that reports when the GPU ran each operation. Between begin and end, every operation enqueued
 * between push and pop gets its times. Begin fails if the library or its headers are missing, or the driver refuses it.
 */
#ifndef LAB_CUDA_LIBRARIES_CUPTI_H
#define LAB_CUDA_LIBRARIES_CUPTI_H

#include "seam/backend.h"

/* Begins to collect times; false if CUPTI cannot be used here. */
bool cuda_cupti_begin(void);

/* Surround the launch of a graph, during which CUPTI does not trace. CUPTI would trace the nodes: with copies on two
 * branches, processes then ended with CUDA_ERROR_LAUNCH_FAILED (CUPTI of CUDA 13.0, driver 580.159.04, an H200). With
 * CUPTI_ACTIVITY_KIND_GRAPH_TRACE, which traces graphs as a whole, the first graph ended them. Work that is enqueued
 * meanwhile gets its times from events. */
void cuda_cupti_rest(void);
void cuda_cupti_resume(void);
bool cuda_cupti_rests(void);

/* Surround the calls that enqueue one operation on the calling thread. */
void cuda_cupti_push(backend_times *times);
void cuda_cupti_pop(void);

/* Writes the times and stops collecting. Called when all enqueued work is done. */
void cuda_cupti_end(void);

#endif
