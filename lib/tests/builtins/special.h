/* What the host computes in long double for special functions: by other ways than the functions of kernels. */
#ifndef LAB_TESTS_BUILTINS_SPECIAL_H
#define LAB_TESTS_BUILTINS_SPECIAL_H

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846264338327950288L
#define ROOT_HALF 0.70710678118654752440084436210484904L

static inline long double sinpil_of(long double x)
{
    const long double rest = remainderl(x, 2);
    return fabsl(rest) > 0.5L ? copysignl(sinl(PI * (1 - fabsl(rest))), rest) : sinl(PI * rest);
}
static inline long double cospil_of(long double x) { return sinpil_of(0.5L - fabsl(remainderl(x, 2))); }

/* The host's powl is wrong for infinities with exponents of 2^63 and more. */
static inline long double powl_of(long double x, long double y)
{
    return isinf(x) ? pow((double)x, (double)y) : powl(x, y);
}

/* An infinite component counts more than one that is no number. */
static inline long double norm_of(long double x, long double y, long double z, long double w)
{
    return hypotl(hypotl(x, y), hypotl(z, w));
}

/* Where erfc is y, or erf for values up to 1/2: found by halving. */
static inline long double halving(long double wanted, long double low, long double high, bool complement)
{
    for (int i = 0; i < 80; i++) {
        const long double middle = (low + high) / 2;
        const bool is_below = complement ? erfcl(middle) > wanted : erfl(middle) < wanted;
        if (is_below)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
static inline long double erfinvl_of(long double p)
{
    const long double size = fabsl(p), scale = 0.88622692545275801364908374167057259139877L;
    if (!(size <= 1)) return NAN;
    if (size == 1) return copysignl(INFINITY, p);
    if (size < 1e-9L) return scale * p * (1 + p * p * PI / 12);
    return copysignl(size <= 0.5L ? halving(size, 0.8L * size, 1.1L * size, false) : halving(1 - size, 0.4L, 30, true),
                     p);
}
static inline long double erfcinvl_of(long double y)
{
    if (!(y >= 0 && y <= 2)) return NAN;
    if (y == 0 || y == 2) return copysignl(INFINITY, 1 - y);
    if (y >= 0.5L && y <= 1.5L) return erfinvl_of(1 - y);
    return y < 1 ? halving(y, 0.4L, 30, true) : -halving(2 - y, 0.4L, 30, true);
}
static inline long double erfcxl_of(long double x)
{
    const long double square = x * x, rest = fmal(x, x, -square);
    if (x < -100) return INFINITY;
    if (x < 50) return expl(square) * (1 + rest) * erfcl(x);
    const long double part = 1 / (2 * square);
    return 1 / (sqrtl(PI) * x) * (1 - part * (1 - 3 * part * (1 - 5 * part * (1 - 7 * part))));
}

/* The modified Bessel functions as integrals of exp(x cos t), by the trapezoid rule, whose error vanishes here. */
static inline long double bessel_i_of(int order, long double x)
{
    const long double size = fabsl(x);
    if (isnan(x) || isinf(x)) return order ? x : size;
    if (size < 1e-4L) return order ? x / 2 * (1 + x * x / 8) : 1 + x * x / 4;
    const int steps = 64 + (int)(12 * sqrtl(size));
    long double sum = 0;
    for (int i = 0; i < steps; i++) {
        const long double t = PI * (2 * i + 1) / (2 * steps), sine = sinl(t / 2);
        sum += expl(-2 * size * sine * sine) * (order ? cosl(t) : 1);
    }
    return (order && x < 0 ? -1 : 1) * (sum / steps * expl(size));
}

#endif
