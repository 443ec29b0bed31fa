// CUDA's special functions for a kernel that is compiled for the host: norms, Bessel functions, and relatives of the
// error function. The forms for float compute in double.

// In a namespace, so that a kernel of such a name hides the function where the kernel's table names it.
#ifndef __CUDA__
namespace lab_special {
#endif

LAB_LIBM double lab_host_j0(double) noexcept(true) __asm__("j0");
LAB_LIBM double lab_host_j1(double) noexcept(true) __asm__("j1");
LAB_LIBM double jn(int, double) noexcept(true);
LAB_LIBM double lab_host_y0(double) noexcept(true) __asm__("y0");
LAB_LIBM double lab_host_y1(double) noexcept(true) __asm__("y1");
LAB_LIBM double yn(int, double) noexcept(true);
LAB_LIBM double remquo(double, double, int *) noexcept(true);
LAB_LIBM float remquof(float, float, int *) noexcept(true);
LAB_LIBM double scalbln(double, long) noexcept(true);
LAB_LIBM float scalblnf(float, long) noexcept(true);
LAB_LIBM double nan(const char *) noexcept(true);
LAB_LIBM float nanf(const char *) noexcept(true);

LAB_BUILTIN float remquo(float x, float y, int *quotient) { return remquof(x, y, quotient); }
LAB_BUILTIN float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
LAB_BUILTIN void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
LAB_BUILTIN void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
LAB_BUILTIN double fdivide(double x, double y) { return x / y; }
LAB_BUILTIN float fdivide(float x, float y) { return x / y; }
LAB_BUILTIN float __tanhf(float x) { return tanhf(x); }

// The size of a vector, and its reciprocal. An infinite component makes it infinite, whatever the others are.

template <bool reciprocal> LAB_BUILTIN double lab_norm(int count, const double *component)
{
    double most = 0.0;
    bool is_infinite = false, is_number = true;
    for (int i = 0; i < count; ++i) {
        most = fmax(most, fabs(component[i]));
        is_infinite = is_infinite || isinf(component[i]);
        is_number = is_number && !isnan(component[i]);
    }
    if (is_infinite) return reciprocal ? 0.0 : __builtin_inf();
    if (!is_number) return __builtin_nan("");
    if (most == 0.0) return reciprocal ? __builtin_inf() : 0.0;
    const int exponent = ilogb(most);
    double sum = 0.0, rest = 0.0; // together the sum of the squares
    for (int i = 0; i < count; ++i) {
        const double x = scalbn(component[i], -exponent), square = x * x, before = sum;
        sum = before + square;
        const double part = sum - before;
        rest += (before - (sum - part)) + (square - part) + fma(x, x, -square);
    }
    const double root = sqrt(sum), root_rest = (fma(-root, root, sum) + rest) / (2.0 * root);
    if (!reciprocal) return scalbn(root + root_rest, exponent);
    const double inverse = 1.0 / root;
    return scalbn(inverse + inverse * (fma(-root, inverse, 1.0) - root_rest * inverse), -exponent);
}
template <bool reciprocal> LAB_BUILTIN float lab_norm(int count, const float *component)
{
    double sum = 0.0;
    bool is_infinite = false;
    for (int i = 0; i < count; ++i) {
        sum += (double)component[i] * (double)component[i];
        is_infinite = is_infinite || isinf(component[i]);
    }
    if (is_infinite) sum = __builtin_inf();
    return (float)(reciprocal ? 1.0 / sqrt(sum) : sqrt(sum));
}
#define LAB_NORMS(type, f)                                                                                             \
    LAB_BUILTIN type norm##f(int count, const type *component) { return lab_norm<false>(count, component); }           \
    LAB_BUILTIN type rnorm##f(int count, const type *component) { return lab_norm<true>(count, component); }           \
    LAB_BUILTIN type norm3d##f(type x, type y, type z)                                                                 \
    {                                                                                                                  \
        const type component[] = {x, y, z};                                                                            \
        return lab_norm<false>(3, component);                                                                          \
    }                                                                                                                  \
    LAB_BUILTIN type rnorm3d##f(type x, type y, type z)                                                                \
    {                                                                                                                  \
        const type component[] = {x, y, z};                                                                            \
        return lab_norm<true>(3, component);                                                                           \
    }                                                                                                                  \
    LAB_BUILTIN type norm4d##f(type x, type y, type z, type w)                                                         \
    {                                                                                                                  \
        const type component[] = {x, y, z, w};                                                                         \
        return lab_norm<false>(4, component);                                                                          \
    }                                                                                                                  \
    LAB_BUILTIN type rnorm4d##f(type x, type y, type z, type w)                                                        \
    {                                                                                                                  \
        const type component[] = {x, y, z, w};                                                                         \
        return lab_norm<true>(4, component);                                                                           \
    }                                                                                                                  \
    LAB_BUILTIN type rhypot##f(type x, type y)                                                                         \
    {                                                                                                                  \
        const type component[] = {x, y};                                                                               \
        return lab_norm<true>(2, component);                                                                           \
    }
LAB_NORMS(double, )
LAB_NORMS(float, f)
#undef LAB_NORMS

// erfc(x) * exp(x * x). The polynomial is of (1 + 2x) times that, in a variable that maps all x >= 0 to -1 ... 1.
LAB_BUILTIN double lab_erfcx(double x)
{
    const double coefficients[] = {
        -7.33950500852954e-11, -3.75315827795962e-11, 9.02214970034059e-10, 5.457157304704688e-10,
        -6.545560212480267e-09, -4.389284159986328e-09, 4.0971223152703005e-08, 2.4289762925488707e-08,
        -2.6114702359900956e-07, -5.826281078800777e-08, 1.7534434251106334e-06, -9.72849582211122e-07,
        -1.1445049125831309e-05, 2.2383912036550678e-05, 5.164940777546399e-05, -0.00029015397928986765,
        0.00029371359480570737, 0.0017556258324217529, -0.009746579547619623, 0.0283622774215156,
        -0.05869339859054762, 0.09230432116019834, -0.10880393014170746, 0.08227673849015102, 0.00358541548546369,
        -0.14024059858554702, 1.2375126308378275};
    const double t = x < 1e300 ? (x - 3.75) / (x + 3.75) : 1.0;
    double sum = 0.0;
    for (const double coefficient : coefficients) sum = fma(sum, t, coefficient);
    return x < 1e300 ? sum / (1.0 + 2.0 * x) : 0.56418958354775628695 / x;
}
LAB_BUILTIN double erfcx(double x)
{
    if (!(x < 0.0)) return lab_erfcx(x);
    const double square = x * x, rest = fma(x, x, -square);
    return x < -27.0 ? __builtin_inf() : 2.0 * (exp(square) * (1.0 + rest)) - lab_erfcx(-x);
}
LAB_BUILTIN float erfcxf(float x) { return (float)erfcx((double)x); }

// Where erf is p, for sizes up to 1/2: the first terms of its series, and two steps of Halley's method.
LAB_BUILTIN double lab_erfinv_central(double p)
{
    const double half_root_pi = 0.88622692545275801365, square = p * p;
    double x = half_root_pi * p * (1.0 + square * (0.26179938779914943654 + square * 0.14393173084921979150));
    for (int i = 0; i < 2; ++i) {
        const double step = (erf(x) - p) * half_root_pi * exp(x * x);
        x -= step / (1.0 + x * step);
    }
    return x;
}
// Where erfc is y, from 0 to 1/2: the logarithm of erfc is the one of lab_erfcx less x * x. Newton's method.
LAB_BUILTIN double lab_erfinv_tail(double y)
{
    const double logarithm = log(y), size = logarithm + log1p(1.0 - y), middle = 4.3307467508 + 0.5 * size;
    double x = sqrt(sqrt(middle * middle - size / 0.147) - middle);
    for (int i = 0; i < 4; ++i) {
        const double scaled = lab_erfcx(x);
        x -= (x * x + logarithm - log(scaled)) * 0.88622692545275801365 * scaled;
    }
    return x;
}
LAB_BUILTIN double erfinv(double p)
{
    const double size = fabs(p);
    if (!(size <= 1.0)) return __builtin_nan("");
    if (size <= 0.5) return size < 1e-150 ? 0.88622692545275801365 * p : lab_erfinv_central(p);
    return copysign(size == 1.0 ? __builtin_inf() : lab_erfinv_tail(1.0 - size), p);
}
LAB_BUILTIN double erfcinv(double y)
{
    if (!(y >= 0.0 && y <= 2.0)) return __builtin_nan("");
    if (y >= 0.5 && y <= 1.5) return erfinv(1.0 - y);
    const double small = y < 1.0 ? y : 2.0 - y;
    return copysign(small == 0.0 ? __builtin_inf() : lab_erfinv_tail(small), 1.0 - y);
}
LAB_BUILTIN double normcdfinv(double p) { return -1.4142135623730950488 * erfcinv(2.0 * p); }
LAB_BUILTIN float erfinvf(float p) { return (float)erfinv((double)p); }
LAB_BUILTIN float erfcinvf(float y) { return (float)erfcinv((double)y); }
LAB_BUILTIN float normcdfinvf(float p) { return (float)normcdfinv((double)p); }

// The host's functions lose their digits near the zeros below 8, where CUDA's keep them. There the Taylor series around
// the zero is summed, whose terms follow from Bessel's equation and the slope at the zero.
struct lab_zero {
    double place, rest, slope; // place + rest is the zero
};
template <int order, int zeros> LAB_BUILTIN double lab_bessel(double x, double host, const lab_zero (&zero)[zeros])
{
    for (const lab_zero &at : zero) {
        const double z = at.place, distance = (x - z) - at.rest;
        if (!(fabs(distance) < (z < 1.0 ? 0.4 : 0.6))) continue;
        double term[4] = {0.0, 0.0, 0.0, at.slope}, power = distance, sum = 0.0; // the last four coefficients
        for (int m = 0; m < 60; ++m) {
            sum += term[3] * power;
            const double next = -(z * (m + 1) * (2 * m + 1) * term[3] + (m * m + z * z - order * order) * term[2] +
                                  2.0 * z * term[1] + term[0]) /
                                (z * z * (m + 2) * (m + 1));
            for (int i = 0; i < 3; ++i) term[i] = term[i + 1];
            term[3] = next;
            power *= distance;
        }
        return sum;
    }
    return host;
}
LAB_BUILTIN double j0(double x)
{
    const lab_zero zero[] = {{2.404825557695773, -1.176691651530894e-16, -0.5191474972894667},
                             {5.520078110286311, 8.088597146146722e-17, 0.34026480655836816}};
    return lab_bessel<0>(fabs(x), lab_host_j0(x), zero);
}
LAB_BUILTIN double j1(double x)
{
    const lab_zero zero[] = {{3.8317059702075125, -1.5269184090088067e-16, -0.402759395702553},
                             {7.015586669815619, -9.414165653410389e-17, 0.30011575252613254}};
    return copysign(1.0, x) * lab_bessel<1>(fabs(x), lab_host_j1(fabs(x)), zero);
}
LAB_BUILTIN double y0(double x)
{
    const lab_zero zero[] = {{0.8935769662791675, 2.6596231539720385e-17, 0.8794208024971948},
                             {3.957678419314858, -1.0764340697562706e-16, -0.40254267177502423},
                             {7.086051060301773, -8.835285723085408e-17, 0.3000976149104752}};
    return lab_bessel<0>(x, lab_host_y0(x), zero);
}
LAB_BUILTIN double y1(double x)
{
    const lab_zero zero[] = {{2.197141326031017, -4.8259835876454966e-17, 0.5207864124022675},
                             {5.429681040794135, 4.162514026670377e-16, -0.3403180455234406}};
    return lab_bessel<1>(x, lab_host_y1(x), zero);
}
LAB_BUILTIN float j0f(float x) { return (float)j0((double)x); }
LAB_BUILTIN float j1f(float x) { return (float)j1((double)x); }
LAB_BUILTIN float jnf(int n, float x) { return (float)jn(n, (double)x); }
LAB_BUILTIN float y0f(float x) { return (float)y0((double)x); }
LAB_BUILTIN float y1f(float x) { return (float)y1((double)x); }
LAB_BUILTIN float ynf(int n, float x) { return (float)yn(n, (double)x); }

// The modified Bessel functions of order 0 and 1: power series, with terms and sum in two doubles each; from 20 on the
// asymptotic series.
template <int order> LAB_BUILTIN double lab_bessel_i(double x)
{
    if (x < 20.0) {
        const double quarter = 0.25 * x * x, quarter_rest = 0.25 * fma(x, x, -x * x);
        double term = 1.0, term_rest = 0.0, sum = 1.0, sum_rest = 0.0;
        for (int k = 1; k < 80 && term > 1e-19 * sum; ++k) {
            const double product = term * quarter, divisor = (double)k * (k + order);
            const double product_rest = fma(term, quarter, -product) + term * quarter_rest + term_rest * quarter;
            term = product / divisor;
            term_rest = (fma(-term, divisor, product) + product_rest) / divisor;
            const double before = sum;
            sum = before + term;
            const double part = sum - before;
            sum_rest += (before - (sum - part)) + (term - part) + term_rest;
        }
        return (order ? 0.5 * x : 1.0) * (sum + sum_rest);
    }
    if (isinf(x) || isnan(x)) return x;
    double term = 1.0, rest = 0.0;
    for (int k = 1; k < 40 && fabs(term) > 1e-18; ++k) {
        term *= ((2.0 * k - 1.0) * (2.0 * k - 1.0) - 4.0 * order) / (8.0 * k * x);
        rest += term;
    }
    const double sum = 1.0 + rest, root = sqrt(6.2831853071795864769 * x);
    return x < 700.0 ? exp(x) / root * sum : exp(0.5 * x) / root * sum * exp(0.5 * x);
}
LAB_BUILTIN double cyl_bessel_i0(double x) { return lab_bessel_i<0>(fabs(x)); }
LAB_BUILTIN double cyl_bessel_i1(double x) { return copysign(lab_bessel_i<1>(fabs(x)), x); }
LAB_BUILTIN float cyl_bessel_i0f(float x) { return (float)cyl_bessel_i0((double)x); }
LAB_BUILTIN float cyl_bessel_i1f(float x) { return (float)cyl_bessel_i1((double)x); }

#ifndef __CUDA__
}
using namespace lab_special;
#endif
