/*
 * CUDA's runtime API for C and C++, over lab.h: what lib/docs/cuda-calls.md lists. Calls, codes and rules are NVIDIA's;
 * programs that include this header compile with NVIDIA's unchanged.
 */
#ifndef LAB_CUDA_RUNTIME_API_H
#define LAB_CUDA_RUNTIME_API_H
#define __CUDA_RUNTIME_API_H__ /* by which programs see that the header is there */

#include "driver_types.h"
#include "lab_cuda_place.h"

#define CUDART_DEVICE
#define __CUDART_API_VERSION CUDART_VERSION

#include "lab_runtime_calls.h"

#ifdef __cplusplus
#include "lab_runtime_templates.h"
#endif
#include "lab_runtime_places.h"

#if !defined(__cplusplus) && !defined(LAB_NO_LOCATION)
/* The forms of CUDA 11 and 12. */
#undef cudaGraphInstantiate
#define LAB_CUDA_PICK_5(a, b, c, d, e, name, ...) name
#define cudaGraphInstantiate(...)                                                                                      \
    LAB_CUDA_PICK_5(__VA_ARGS__, LAB_CUDA_INSTANTIATE_5, LAB_CUDA_INSTANTIATE_3, LAB_CUDA_INSTANTIATE_3,               \
                    LAB_CUDA_INSTANTIATE_3, )                                                                          \
    (__VA_ARGS__)
#define LAB_CUDA_INSTANTIATE_3(exec, graph, flags) LAB_CUDA_AT((cudaGraphInstantiate)(exec, graph, flags))
#define LAB_CUDA_INSTANTIATE_5(exec, graph, node, log, bytes)                                                          \
    ((void)(node), (void)(log), (void)(bytes), LAB_CUDA_INSTANTIATE_3(exec, graph, 0))
#endif

#endif
