/* CUDA's runtime API: cuda_runtime_api.h, and vectors. */
#ifndef LAB_CUDA_RUNTIME_H
#define LAB_CUDA_RUNTIME_H

#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* What kernels use: the compiler driver's part. */
#if (defined(__CUDACC__) || defined(__CUDA__)) && __has_include("lab_device.h")
#include "lab_device.h"
#endif

#endif
