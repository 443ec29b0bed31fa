/* Asynchronous copies to shared memory, in CUDA files. */
#ifndef __CUDACC__
#error "copies to shared memory are for CUDA files: compile this one as .cu, or leave cuda_pipeline.h out"
#endif
#ifndef LAB_CUDA_PIPELINE_H
#define LAB_CUDA_PIPELINE_H

#include <assert.h>

#include "cuda_runtime.h"
#include "lab_pipeline.h"

#endif
