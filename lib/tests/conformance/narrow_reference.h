/* The numbers of float16 and bfloat16, counted up from 0, and the nearest of them to any number, found by search. Has
 * no arithmetic of exponents, and no code of the library. */
#ifndef LAB_TESTS_NARROW_REFERENCE_H
#define LAB_TESTS_NARROW_REFERENCE_H

#include "lab.h"

#include <math.h>
#include <stdlib.h>

enum { NARROW_PATTERNS = 65536 };

typedef struct narrow_format {
    lab_dtype dtype;
    unsigned infinity; /* its bits */
    double *size;      /* of the numbers from 0 to `infinity`, which counts as the number that would follow */
} narrow_format;

/* Counted once, and kept until the process ends. */
static inline narrow_format narrow_format_of(lab_dtype dtype)
{
    static double *kept[2];
    double **const size = &kept[dtype == LAB_FLOAT16];
    const unsigned digits = dtype == LAB_FLOAT16 ? 1024 : 128; /* numbers between one power of two and the next */
    narrow_format format = {dtype, dtype == LAB_FLOAT16 ? 0x7c00 : 0x7f80, NULL};
    double step = dtype == LAB_FLOAT16 ? 0x1p-24 : 0x1p-133;
    if (!*size) *size = calloc(format.infinity + 1, sizeof **size);
    format.size = *size;
    for (unsigned bits = 0; format.size && bits < format.infinity; bits++) {
        if (bits >= 2 * digits && bits % digits == 0) step *= 2;
        format.size[bits + 1] = format.size[bits] + step;
    }
    return format;
}

static inline double narrow_value(const narrow_format *format, unsigned bits)
{
    const unsigned size = bits & 0x7fff;
    const double value = size > format->infinity ? NAN : size == format->infinity ? INFINITY : format->size[size];
    return bits & 0x8000 ? -value : value;
}

/* The bits of the nearest number; of two that are equally near, the even one. 0x7fff for what is no number. */
static inline uint16_t narrow_nearest(const narrow_format *format, long double value)
{
    const unsigned sign = signbit(value) ? 0x8000 : 0;
    const long double size = fabsl(value);
    unsigned low = 0, high = format->infinity;
    if (value != value) return 0x7fff;
    if (size >= format->size[high]) return (uint16_t)(sign | high);
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        if (format->size[middle] <= size)
            low = middle;
        else
            high = middle;
    }
    const long double tie = ((long double)format->size[low] + format->size[high]) / 2;
    return (uint16_t)(sign | (size < tie ? low : size > tie ? high : low + low % 2));
}

#endif
