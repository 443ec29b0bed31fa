/* Named reductions of arrays, whole or along axes: each is a reduction kernel of the library. */
#include "array.h"
#include "reduction.h"

typedef struct named_reduction {
    lab_reduction_source source;
    _Atomic(reduction *) kept;
} named_reduction;

static named_reduction sum = {{"T x", "U y", "x", "a + b", "y = a", "0", .reduce_type = "U", .name = "array_sum"},
                              NULL};
static named_reduction product = {
    {"T x", "U y", "x", "a * b", "y = a", "1", .reduce_type = "U", .name = "array_product"}, NULL};
static named_reduction mean = {{"T x", "U y", "x", "a + b", "y = n == 0 && (U)1 / 2 == 0 ? 0 : a / n", "0",
                                .reduce_type = "U", .name = "array_mean"},
                               NULL};
static named_reduction dot = {
    {"T x, T y", "U z", "(lab_value)x * (lab_value)y", "a + b", "z = a", "0", .reduce_type = "U", .name = "array_dot"},
    NULL};
static named_reduction any = {{"T x", "uint8 y", "x != 0", "a | b", "y = a", "0", .name = "array_any"}, NULL};
static named_reduction all = {{"T x", "uint8 y", "x != 0", "a & b", "y = a", "1", .name = "array_all"}, NULL};

/* A comparison with NaN is false. Then a is kept, unless b is the NaN. */
static named_reduction least = {
    {"T x", "T y", "x", "a < b || a != a ? a : b", "y = a", NULL, .reduce_type = "T", .name = "array_min"}, NULL};
static named_reduction most = {
    {"T x", "T y", "x", "a > b || a != a ? a : b", "y = a", NULL, .reduce_type = "T", .name = "array_max"}, NULL};

/* An element and its place. Of two equal elements, or two NaNs, the first wins; NaN wins over a number. Elements of
 * fewer than 8 bytes are exact as double, and two fields of one size allow vector code. */
#define PLACE(compare)                                                                                                 \
    "template <class X, int size> struct lab_wide { typedef double type; };\n"                                         \
    "template <class X> struct lab_wide<X, 8> { typedef X type; };\n"                                                  \
    "typedef lab_wide<T, sizeof(T)>::type lab_key;\n"                                                                  \
    "struct lab_place { lab_key value; long long at; };\n"                                                             \
    "static inline __device__ lab_place lab_win(const lab_place a, const lab_place b) {\n"                             \
    "const bool a_none = a.value != a.value, b_none = b.value != b.value;\n"                                           \
    "const bool better = (a.value " compare " b.value) | (a_none & !b_none);\n"                                        \
    "const bool alike = (a.value == b.value) | (a_none & b_none);\n"                                                   \
    "const bool wins = better | (alike & (a.at < b.at));\n"                                                            \
    "return {wins ? a.value : b.value, wins ? a.at : b.at}; }\n"
static named_reduction least_at = {{"T x", "int64 y", "lab_place{(lab_key)x, i}", "lab_win(a, b)", "y = a.at", NULL,
                                    .reduce_type = "lab_place", .preamble = PLACE("<"), .name = "array_argmin"},
                                   NULL};
static named_reduction most_at = {{"T x", "int64 y", "lab_place{(lab_key)x, i}", "lab_win(a, b)", "y = a.at", NULL,
                                   .reduce_type = "lab_place", .preamble = PLACE(">"), .name = "array_argmax"},
                                  NULL};

static lab_status reduce(named_reduction *named, lab_axes axes, lab_stream *stream, lab_args args, const char *call)
{
    RETIRE_SCOPE;
    struct array *found;
    for (int i = 0; i < args.count; i++) LAB_TRY(array_resolve(&found, args.arg[i].value.array, call));
    reduction *kernel;
    LAB_TRY(reduction_once(&kernel, &named->kept, &named->source));
    return reduction_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, axes, stream, args);
}

#define WHOLE_AND_AXIS(call, kernel)                                                                                   \
    lab_status call(lab_array *out, const lab_array *x, lab_stream *stream)                                            \
    {                                                                                                                  \
        return reduce(&kernel, OPERANDS_NO_AXES, stream, LAB_ARGS(x, out), #call);                                     \
    }                                                                                                                  \
    lab_status call##_axis(lab_array *out, const lab_array *x, int axis, lab_stream *stream)                           \
    {                                                                                                                  \
        return reduce(&kernel, LAB_AXES(axis), stream, LAB_ARGS(x, out), #call "_axis");                               \
    }

#define WHOLE_AND_AXES(call, kernel)                                                                                   \
    WHOLE_AND_AXIS(call, kernel)                                                                                       \
    lab_status call##_axes(lab_array *out, const lab_array *x, lab_axes axes, lab_stream *stream)                      \
    {                                                                                                                  \
        return reduce(&kernel, reduction_axes(axes), stream, LAB_ARGS(x, out), #call "_axes");                         \
    }

WHOLE_AND_AXES(lab_array_sum, sum)
WHOLE_AND_AXES(lab_array_prod, product)
WHOLE_AND_AXES(lab_array_mean, mean)
WHOLE_AND_AXES(lab_array_min, least)
WHOLE_AND_AXES(lab_array_max, most)
WHOLE_AND_AXES(lab_array_any, any)
WHOLE_AND_AXES(lab_array_all, all)
WHOLE_AND_AXIS(lab_array_argmin, least_at)
WHOLE_AND_AXIS(lab_array_argmax, most_at)

lab_status lab_array_dot(lab_array *out, const lab_array *x, const lab_array *y, lab_stream *stream)
{
    return reduce(&dot, OPERANDS_NO_AXES, stream, LAB_ARGS(x, y, out), "lab_array_dot");
}
