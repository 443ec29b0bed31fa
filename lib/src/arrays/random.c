/*
 * Arrays of random numbers: Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3",
 * 2011), whose i-th block of four words is a function of i and the seed alone. The words become numbers by operations
 * that every device rounds alike, including explicit fused multiply-adds, and without library functions.
 */
#include "array.h"

#include "elementwise.h"

static const char PHILOX[] =
    "struct lab_words { unsigned w[4]; };\n"
    "static inline __device__ lab_words lab_philox(long long block, unsigned key0, unsigned key1)\n"
    "{\n"
    "    unsigned c0 = (unsigned)block, c1 = (unsigned)(block >> 32), c2 = 0, c3 = 0;\n"
    "    for (int round = 0; round < 10; ++round) {\n"
    "        const unsigned long long a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;\n"
    "        c0 = (unsigned)(b >> 32) ^ c1 ^ key0;\n"
    "        c2 = (unsigned)(a >> 32) ^ c3 ^ key1;\n"
    "        c1 = (unsigned)b;\n"
    "        c3 = (unsigned)a;\n"
    "        key0 += 0x9E3779B9u;\n"
    "        key1 += 0xBB67AE85u;\n"
    "    }\n"
    "    return {{c0, c1, c2, c3}};\n"
    "}\n"
    /* A multiple of 2^-53 below 1, from two words. */
    "static inline __device__ double lab_fraction(unsigned high, unsigned low)\n"
    "{\n"
    "    return (double)(((unsigned long long)high << 32 | low) >> 11) * 0x1p-53;\n"
    "}\n"
    /* ln x for 0 < x <= 1: with x = m 2^e and s = (m - 1) / (m + 1), it is e ln 2 + 2 (s + s^3/3 + s^5/5 + ...). */
    "static inline __device__ double lab_ln(double x)\n"
    "{\n"
    "    const long long bits = __double_as_longlong(x);\n"
    "    const long long e = (bits - 0x3FE6A09E667F3BCDll) >> 52;\n"
    "    const double m = __longlong_as_double(bits - (e << 52));\n"
    "    const double s = (m - 1.0) / (m + 1.0), z = s * s;\n"
    "    double p = 1.0 / 21.0;\n"
    "    p = fma(p, z, 1.0 / 19.0); p = fma(p, z, 1.0 / 17.0); p = fma(p, z, 1.0 / 15.0);\n"
    "    p = fma(p, z, 1.0 / 13.0); p = fma(p, z, 1.0 / 11.0); p = fma(p, z, 1.0 / 9.0);\n"
    "    p = fma(p, z, 1.0 / 7.0); p = fma(p, z, 1.0 / 5.0); p = fma(p, z, 1.0 / 3.0);\n"
    "    p = fma(p, z, 1.0);\n"
    "    return fma((double)e, 0.693147180559945309417, (s + s) * p);\n"
    "}\n"
    /* The two normal deviates of Box and Muller: sqrt(-2 ln u) times sine and cosine of 2 pi v; 0 < u <= 1, 0 <= v < 1.
 * The angle is split into quarter turns and a rest of at most an eighth of a turn, for which the series converge fast.
 * */
    "static inline __device__ void lab_normal_pair(double u, double v, double *first, double *second)\n"
    "{\n"
    "    const double radius = sqrt(-2.0 * lab_ln(u));\n"
    "    const int quarters = (int)(v * 4.0 + 0.5);\n"
    "    const double x = (v - quarters * 0.25) * 6.28318530717958647693, z = x * x;\n"
    "    double s = -1.0 / 1307674368000.0;\n"
    "    s = fma(s, z, 1.0 / 6227020800.0); s = fma(s, z, -1.0 / 39916800.0); s = fma(s, z, 1.0 / 362880.0);\n"
    "    s = fma(s, z, -1.0 / 5040.0); s = fma(s, z, 1.0 / 120.0); s = fma(s, z, -1.0 / 6.0); s = fma(s, z, 1.0) * x;\n"
    "    double c = 1.0 / 20922789888000.0;\n"
    "    c = fma(c, z, -1.0 / 87178291200.0); c = fma(c, z, 1.0 / 479001600.0); c = fma(c, z, -1.0 / 3628800.0);\n"
    "    c = fma(c, z, 1.0 / 40320.0); c = fma(c, z, -1.0 / 720.0); c = fma(c, z, 1.0 / 24.0); c = fma(c, z, -0.5);\n"
    "    c = fma(c, z, 1.0);\n"
    "    const double sine = quarters & 1 ? c : s, cosine = quarters & 1 ? s : c;\n"
    "    *first = radius * (quarters & 2 ? -sine : sine);\n"
    "    *second = radius * ((quarters + 1) & 2 ? -cosine : cosine);\n"
    "}\n";

/* Every kernel computes a whole block of words for each i and writes the numbers made from it. */
static const char INPUTS[] = "uint32 key0, uint32 key1, float64 offset, float64 scale, int64 length";
#define BLOCK "const lab_words r = lab_philox(i, key0, key1);\n"
#define STORE_2 "for (int k = 0; k < 2; ++k) if (2 * i + k < length) out[2 * i + k] = fma(scale, v[k], offset);"
#define STORE_4                                                                                                        \
    "for (int k = 0; k < 4; ++k) if (4 * i + k < length) out[4 * i + k] = fma((float)scale, (float)v[k], "             \
    "(float)offset);"

typedef struct generator {
    lab_elementwise_source source;
    _Atomic(elementwise *) kept;
    size_t numbers; /* numbers in a block */
} generator;

static generator uniform_32 = {{INPUTS, "raw float32 out",
                                BLOCK "float v[4];\n"
                                      "for (int k = 0; k < 4; ++k) v[k] = (float)(r.w[k] >> 8) * 0x1p-24f;\n" STORE_4,
                                "random_uniform", PHILOX, 0},
                               NULL,
                               4};
static generator uniform_64 = {
    {INPUTS, "raw float64 out",
     BLOCK "const double v[2] = {lab_fraction(r.w[0], r.w[1]), lab_fraction(r.w[2], r.w[3])};\n" STORE_2,
     "random_uniform", PHILOX, 0},
    NULL,
    2};
static generator normal_32 = {
    {INPUTS, "raw float32 out",
     BLOCK "double v[4];\n"
           "lab_normal_pair(((double)r.w[0] + 1.0) * 0x1p-32, (double)r.w[1] * 0x1p-32, &v[0], &v[1]);\n"
           "lab_normal_pair(((double)r.w[2] + 1.0) * 0x1p-32, (double)r.w[3] * 0x1p-32, &v[2], &v[3]);\n" STORE_4,
     "random_normal", PHILOX, 0},
    NULL,
    4};
static generator normal_64 = {
    {INPUTS, "raw float64 out",
     BLOCK
     "double v[2];\n"
     "lab_normal_pair(lab_fraction(r.w[0], r.w[1]) + 0x1p-53, lab_fraction(r.w[2], r.w[3]), &v[0], &v[1]);\n" STORE_2,
     "random_normal", PHILOX, 0},
    NULL,
    2};

static lab_status generate(generator *method, lab_array *array, uint64_t seed, double offset, double scale)
{
    elementwise *kernel;
    LAB_TRY(elementwise_once(&kernel, &method->kept, &method->source));
    long long length = (long long)lab_array_count(array), blocks = length / (long long)method->numbers;
    if (length % (long long)method->numbers > 0) blocks++;
    return elementwise_launch(kernel, blocks, NULL,
                              LAB_ARGS((unsigned)seed, (unsigned)(seed >> 32), offset, scale, length, array));
}

static lab_status make_random(lab_array **out, lab_dtype dtype, lab_shape shape, uint64_t seed, double offset,
                              double scale, generator *narrow, generator *wide, const char *call)
{
    RETIRE_SCOPE;
    if (!out) return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: out is NULL", call);
    *out = NULL;
    if (dtype != LAB_FLOAT32 && dtype != LAB_FLOAT64)
        return lab_fail(LAB_ERROR_INVALID_VALUE, "%s: makes float32 or float64, not %s", call, lab_dtype_name(dtype));
    struct stream *stream;
    LAB_TRY(stream_resolve(&stream, NULL, call));
    LAB_TRY(array_make(out, dtype, shape, stream->context, call));
    lab_status status = generate(dtype == LAB_FLOAT32 ? narrow : wide, *out, seed, offset, scale);
    if (status != LAB_SUCCESS) {
        lab_array_destroy(*out);
        *out = NULL;
    }
    return status;
}

lab_status lab_array_random_uniform(lab_array **out, lab_dtype dtype, lab_shape shape, double low, double high,
                                    uint64_t seed)
{
    return make_random(out, dtype, shape, seed, low, high - low, &uniform_32, &uniform_64, "lab_array_random_uniform");
}

lab_status lab_array_random_normal(lab_array **out, lab_dtype dtype, lab_shape shape, double mean, double deviation,
                                   uint64_t seed)
{
    return make_random(out, dtype, shape, seed, mean, deviation, &normal_32, &normal_64, "lab_array_random_normal");
}
