/* The words that CUDA C++ adds to C++. Outside of CUDA sources they mean nothing. */
#ifndef LAB_CUDA_HOST_DEFINES_H
#define LAB_CUDA_HOST_DEFINES_H
#define __HOST_DEFINES_H__ /* by which programs see that the header is there */

#if defined(__CUDACC__) || defined(__CUDA__)
#define LAB_CUDA_WORD(name) __attribute__((name))
#else
#define LAB_CUDA_WORD(name)
#endif

#ifndef __host__
#define __host__ LAB_CUDA_WORD(host)
#define __device__ LAB_CUDA_WORD(device)
#define __global__ LAB_CUDA_WORD(global)
#define __shared__ LAB_CUDA_WORD(shared)
#define __constant__ LAB_CUDA_WORD(constant)
#endif
#ifndef __managed__
#define __managed__ LAB_CUDA_WORD(managed)
#endif
#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(bytes) __attribute__((aligned(bytes)))
#endif
#ifndef CUDARTAPI
#define CUDARTAPI
#define CUDAAPI
#define CUDART_CB
#define CUDA_CB
#endif

#endif
