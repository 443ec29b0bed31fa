/* Complex numbers in CUDA files, host code and kernels. Quotients and absolute values are scaled, so that no square in
 * between overflows. Kernels of lab.h have this text before them, so it includes nothing. */
#ifndef LAB_CUDA_COMPLEX_H
#define LAB_CUDA_COMPLEX_H

/* `of` is the ending of the names for float; `f` that of the C library's functions. */
#define LAB_CUDA_COMPLEX(type, element, made, of, f)                                                                   \
    static __inline__ __host__ __device__ type make_##made(element real, element imaginary)                            \
    {                                                                                                                  \
        type z;                                                                                                        \
        z.x = real;                                                                                                    \
        z.y = imaginary;                                                                                               \
        return z;                                                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ element cuCreal##of(type z) { return z.x; }                                  \
    static __inline__ __host__ __device__ element cuCimag##of(type z) { return z.y; }                                  \
    static __inline__ __host__ __device__ type cuConj##of(type z) { return make_##made(z.x, -z.y); }                   \
    static __inline__ __host__ __device__ type cuCadd##of(type a, type b)                                              \
    {                                                                                                                  \
        return make_##made(a.x + b.x, a.y + b.y);                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ type cuCsub##of(type a, type b)                                              \
    {                                                                                                                  \
        return make_##made(a.x - b.x, a.y - b.y);                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ type cuCmul##of(type a, type b)                                              \
    {                                                                                                                  \
        return make_##made(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                              \
    }                                                                                                                  \
    static __inline__ __host__ __device__ type cuCdiv##of(type a, type b)                                              \
    {                                                                                                                  \
        const element scale = 1 / (fabs##f(b.x) + fabs##f(b.y));                                                       \
        const element ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                          \
        const element size = 1 / (bx * bx + by * by);                                                                  \
        return make_##made((ax * bx + ay * by) * size, (ay * bx - ax * by) * size);                                    \
    }                                                                                                                  \
    static __inline__ __host__ __device__ element cuCabs##of(type z)                                                   \
    {                                                                                                                  \
        const element x = fabs##f(z.x), y = fabs##f(z.y), more = x > y ? x : y, less = x > y ? y : x;                  \
        const element ratio = less / more;                                                                             \
        if (more == 0 || more > LAB_CUDA_MOST_##element || less > LAB_CUDA_MOST_##element) return more + less;         \
        return more * sqrt##f(1 + ratio * ratio);                                                                      \
    }                                                                                                                  \
    static __inline__ __host__ __device__ type cuCfma##of(type a, type b, type c)                                      \
    {                                                                                                                  \
        return make_##made(-(a.y * b.y) + (a.x * b.x + c.x), a.y * b.x + (a.x * b.y + c.y));                           \
    }

#define LAB_CUDA_MOST_float 3.402823466e38f
#define LAB_CUDA_MOST_double 1.79769313486231570e+308

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
LAB_CUDA_COMPLEX(cuFloatComplex, float, cuFloatComplex, f, f)
LAB_CUDA_COMPLEX(cuDoubleComplex, double, cuDoubleComplex, , )

static __inline__ __host__ __device__ cuComplex make_cuComplex(float real, float imaginary)
{
    return make_cuFloatComplex(real, imaginary);
}
static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex((double)z.x, (double)z.y);
}
static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

#endif
