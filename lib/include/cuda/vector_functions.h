/* make_float4 and its kin. */
#ifndef LAB_CUDA_VECTOR_FUNCTIONS_H
#define LAB_CUDA_VECTOR_FUNCTIONS_H

#include "vector_types.h"

#define LAB_CUDA_MAKE(name, type, two, four)                                                                           \
    static __inline__ __host__ __device__ name##1 make_##name##1(type x)                                               \
    {                                                                                                                  \
        name##1 made = {x};                                                                                            \
        return made;                                                                                                   \
    }                                                                                                                  \
    static __inline__ __host__ __device__ name##2 make_##name##2(type x, type y)                                       \
    {                                                                                                                  \
        name##2 made = {x, y};                                                                                         \
        return made;                                                                                                   \
    }                                                                                                                  \
    static __inline__ __host__ __device__ name##3 make_##name##3(type x, type y, type z)                               \
    {                                                                                                                  \
        name##3 made = {x, y, z};                                                                                      \
        return made;                                                                                                   \
    }                                                                                                                  \
    static __inline__ __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w)                       \
    {                                                                                                                  \
        name##4 made = {x, y, z, w};                                                                                   \
        return made;                                                                                                   \
    }

LAB_CUDA_VECTORS(LAB_CUDA_MAKE)

#endif
