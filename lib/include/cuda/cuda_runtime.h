/* CUDA's runtime API: cuda_runtime_api.h, and vectors. */
#ifndef LAB_CUDA_RUNTIME_H
#define LAB_CUDA_RUNTIME_H
#define __CUDA_RUNTIME_H__ /* by which programs see that the header is there */

#include "cuda_runtime_api.h"
#include "vector_functions.h"

/* What kernels use: the compiler driver's part. */
#if (defined(__CUDACC__) || defined(__CUDA__)) && __has_include("lab_device.h")
#include "lab_device.h"
#include "lab_host_math.h"
#endif

#endif
