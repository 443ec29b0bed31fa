/* A right answer: an X macro of the eight types makes the casts, the rows and the cases; goto releases what was made. */
#include "lab06.h"

#include <limits.h>
#include <stdint.h>

/*        name    C type    through  limits of that: first that is too low or fits, first too high, NaN */
#define EACH_TYPE(X)                                                                                                   \
    X(INT8, int8_t, int32_t, -0x1p31f, 0x1p31f, 0)                                                                     \
    X(UINT8, uint8_t, uint32_t, 0.0f, 0x1p32f, 0)                                                                      \
    X(INT16, int16_t, int32_t, -0x1p31f, 0x1p31f, 0)                                                                   \
    X(UINT16, uint16_t, uint32_t, 0.0f, 0x1p32f, 0)                                                                    \
    X(INT32, int32_t, int32_t, -0x1p31f, 0x1p31f, 0)                                                                   \
    X(UINT32, uint32_t, uint32_t, 0.0f, 0x1p32f, 0)                                                                    \
    X(INT64, int64_t, int64_t, -0x1p63f, 0x1p63f, INT64_MIN)                                                           \
    X(UINT64, uint64_t, uint64_t, 0.0f, 0x1p64f, UINT64_C(1) << 63)
#define LOWEST(type) _Generic((type)0, int32_t : INT32_MIN, int64_t : INT64_MIN, default : 0)
#define HIGHEST(type)                                                                                                  \
    _Generic((type)0, int32_t : INT32_MAX, int64_t : INT64_MAX, uint32_t : UINT32_MAX, default : UINT64_MAX)

#define DEFINE(name, type, wide, low, high, nan)                                                                       \
    static inline __attribute__((always_inline)) type cast_##name(float x)                                             \
    {                                                                                                                  \
        wide y;                                                                                                        \
        if (__builtin_isnan(x))                                                                                        \
            y = (wide)(nan);                                                                                           \
        else if (x < (low))                                                                                            \
            y = (wide)LOWEST(wide);                                                                                    \
        else if (x >= (high))                                                                                          \
            y = (wide)HIGHEST(wide);                                                                                   \
        else                                                                                                           \
            y = (wide)x;                                                                                               \
        return (type)y;                                                                                                \
    }
EACH_TYPE(DEFINE)

lab_status lab06_as_device(void *to, lab_dtype type, const float *from, size_t count)
{
    switch (type) {
#define CASE(name, c_type, ...)                                                                                        \
    case LAB_##name:                                                                                                   \
        for (c_type *at = to; count--; *at++ = cast_##name(*from++)) {}                                                \
        return LAB_SUCCESS;
        EACH_TYPE(CASE)
    default: return LAB_ERROR_INVALID_VALUE;
    }
}

const char *lab06_numpy_body(lab_dtype type)
{
#define FITS(low, high) "x >= " low " && x < " high " "
#define SMALL "int t = (int)0x80000000u; if (" FITS("-2147483648.0f", "2147483648.0f") ") t = (int)x; y = t;"
    static const char *const body[] = {
        [LAB_INT8] = SMALL,
        [LAB_UINT8] = SMALL,
        [LAB_INT16] = SMALL,
        [LAB_UINT16] = SMALL,
        [LAB_INT32] = SMALL,
        [LAB_UINT32] = "long long t = 0; if (" FITS(
            "-9223372036854775808.0f",
            "9223372036854775808.0f") ") t = (long long)x;\n"
                                      "y = (unsigned int)t; /* the low half: not asm(\"mov\") */",
        [LAB_INT64] = "y = (long long)(1ull << 63);\nif (" FITS("-9223372036854775808.0f",
                                                                "9223372036854775808.0f") ") y = (long long)x;",
        [LAB_UINT64] = "if (!(x < 18446744073709551616.0f)) y = x > 0 ? 0ull : 1ull << 63; // +inf and NaN\n"
                       "else if (x >= 0) y = (unsigned long long)x;\n"
                       "else if (x >= -9223372036854775808.0f) y = (unsigned long long)(long long)x;\n"
                       "else y = 1ull << 63;",
    };
    return type >= LAB_INT8 && type <= LAB_UINT64 ? body[type] : NULL;
}

lab_status lab06_measure(void *to, lab_dtype type, const float *from, size_t count)
{
    lab_array *floats = NULL, *cast = NULL;
    lab_status status = lab_array_from_host(&floats, LAB_FLOAT32, LAB_SHAPE(count), from);
    if (status) goto done;
    if ((status = lab_array_astype(&cast, floats, type, lab_stream_null()))) goto done;
    if ((status = lab_array_get(cast, to))) goto done;
done:
    lab_array_destroy(floats);
    lab_array_destroy(cast);
    return status;
}

const long long lab06_device[LAB06_VALUES][LAB06_TYPES] = {
    [LAB06_MINUS_ONE][LAB06_TO_INT8] = -1,
    [LAB06_MINUS_ONE][LAB06_TO_INT32] = -1,
    [LAB06_300] = {300 & 255, 300 % 256, 300, 300},
    [LAB06_3E9] = {(int8_t)INT32_MAX, (uint8_t)3000000000u, INT_MAX, 3000000000},
    [LAB06_1E10] = {-1, UINT8_MAX, INT32_MAX, UINT32_MAX},
};
const long long lab06_numpy[LAB06_VALUES][LAB06_TYPES] = {
    [LAB06_MINUS_ONE] = {-1, UINT8_MAX, -1, UINT32_MAX},
    [LAB06_300] = {44, 44, 300, 300},
    [LAB06_3E9] = {[LAB06_TO_INT32] = INT32_MIN, [LAB06_TO_UINT32] = 3000000000},
    [LAB06_1E10] = {0, 0, INT32_MIN, (long long)1e10 & 0xffffffff},
    [LAB06_NAN] = {[LAB06_TO_INT32] = INT32_MIN},
};

lab_status lab06_normalize(float *sum, const lab06_work *work)
{
    lab_status status;
#define OR_DONE(call)                                                                                                  \
    if ((status = call)) goto done
    OR_DONE(lab_array_sum(work->total, work->x, work->stream));
    OR_DONE(lab_launch(work->divide, LAB06_GRID(work->count), LAB06_BLOCK, 0, work->stream,
                       LAB_ARGS(work->x, work->total, work->count)));
    OR_DONE(lab_memcpy_dtoh_async(sum, lab_array_data(work->total), sizeof(float), work->stream));
    OR_DONE(lab_stream_synchronize(work->stream));
done:
    return status;
}
