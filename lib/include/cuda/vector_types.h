/* CUDA's vector types: float4 and its kin, with CUDA's alignment, and dim3. */
#ifndef LAB_CUDA_VECTOR_TYPES_H
#define LAB_CUDA_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ /* by which programs see that the header is there */

#include "host_defines.h"

/* Types of one to four elements; `two` and `four` are the alignments of those with two and with four. */
#define LAB_CUDA_VECTOR(name, type, two, four)                                                                         \
    struct name##1 { type x; };                                                                                        \
    struct __attribute__((aligned(two))) name##2 { type x, y; };                                                       \
    struct name##3 { type x, y, z; };                                                                                  \
    struct __attribute__((aligned(four))) name##4 { type x, y, z, w; };                                                \
    typedef struct name##1 name##1;                                                                                    \
    typedef struct name##2 name##2;                                                                                    \
    typedef struct name##3 name##3;                                                                                    \
    typedef struct name##4 name##4;

#define LAB_CUDA_VECTORS(X)                                                                                            \
    X(char, signed char, 2, 4)                                                                                         \
    X(uchar, unsigned char, 2, 4)                                                                                      \
    X(short, short, 4, 8)                                                                                              \
    X(ushort, unsigned short, 4, 8)                                                                                    \
    X(int, int, 8, 16)                                                                                                 \
    X(uint, unsigned int, 8, 16)                                                                                       \
    X(long, long, 16, 16)                                                                                              \
    X(ulong, unsigned long, 16, 16)                                                                                    \
    X(longlong, long long, 16, 16)                                                                                     \
    X(ulonglong, unsigned long long, 16, 16)                                                                           \
    X(float, float, 8, 16)                                                                                             \
    X(double, double, 16, 16)

LAB_CUDA_VECTORS(LAB_CUDA_VECTOR)

typedef struct dim3 dim3;
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    __host__ __device__ constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
        : x(x_), y(y_), z(z_)
    {
    }
    __host__ __device__ constexpr dim3(uint3 extent) : x(extent.x), y(extent.y), z(extent.z) {}
    __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#endif
};

#endif
