/* CUDA's functions beyond the C library's, for the host's code of a CUDA file. Kernels have their own of these
 * names. */
#ifndef LAB_CUDA_HOST_MATH_H
#define LAB_CUDA_HOST_MATH_H

#include <cmath>

static inline LAB_CUDA_HOST double rsqrt(double x) { return 1.0 / std::sqrt(x); }
static inline LAB_CUDA_HOST float rsqrtf(float x) { return (float)rsqrt((double)x); }
static inline LAB_CUDA_HOST float rsqrt(float x) { return rsqrtf(x); }
static inline LAB_CUDA_HOST double rcbrt(double x) { return 1.0 / std::cbrt(x); }
static inline LAB_CUDA_HOST float rcbrtf(float x) { return (float)rcbrt((double)x); }
static inline LAB_CUDA_HOST float rcbrt(float x) { return rcbrtf(x); }

/* The angle is brought to at most a quarter turn, so that multiples of a half give whole numbers. */
static inline LAB_CUDA_HOST double sinpi(double x)
{
    const double turn = std::remainder(x, 2.0), a = std::fabs(turn);
    const double sine = std::sin(M_PI * (a > 0.5 ? 1.0 - a : a));
    return turn == 0.0 ? 0.0 * x : std::copysign(sine, turn);
}
static inline LAB_CUDA_HOST double cospi(double x)
{
    const double a = std::fabs(std::remainder(x, 2.0));
    return a == 0.5 ? 0.0 : std::cos(M_PI * a);
}
static inline LAB_CUDA_HOST float sinpif(float x) { return (float)sinpi((double)x); }
static inline LAB_CUDA_HOST float cospif(float x) { return (float)cospi((double)x); }
static inline LAB_CUDA_HOST float sinpi(float x) { return sinpif(x); }
static inline LAB_CUDA_HOST float cospi(float x) { return cospif(x); }
static inline LAB_CUDA_HOST void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
static inline LAB_CUDA_HOST void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
static inline LAB_CUDA_HOST double normcdf(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }
static inline LAB_CUDA_HOST float normcdff(float x) { return (float)normcdf((double)x); }

#endif
