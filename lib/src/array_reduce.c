/* Reductions of whole arrays by name: each is a reduction kernel of the library's own. */
#include "array.h"
#include "reduction.h"

typedef struct named_reduction {
    lab_reduction_source source;
    _Atomic(reduction *) kept;
} named_reduction;

static lab_status reduce(named_reduction *by, lab_stream *stream, lab_args args, const char *call)
{
    struct array *found;
    for (int i = 0; i < args.count; i++) LAB_TRY(array_resolve(&found, args.arg[i].value.array, call));
    reduction *kernel;
    LAB_TRY(reduction_once(&kernel, &by->kept, &by->source));
    return reduction_launch(kernel, OPERANDS_SIZED_BY_ARRAYS, stream, args);
}

lab_status lab_array_sum(lab_array *out, const lab_array *x, lab_stream *stream)
{
    static named_reduction sum = {{"T x", "U y", "x", "a + b", "y = a", "0", .reduce_type = "U", .name = "array_sum"},
                                  NULL};
    return reduce(&sum, stream, LAB_ARGS(x, out), "lab_array_sum");
}

lab_status lab_array_mean(lab_array *out, const lab_array *x, lab_stream *stream)
{
    static named_reduction mean = {
        {"T x", "U y", "x", "a + b", "y = a / n", "0", .reduce_type = "U", .name = "array_mean"}, NULL};
    return reduce(&mean, stream, LAB_ARGS(x, out), "lab_array_mean");
}

/* A comparison with a number that is none is false: then a is kept, which is one if it is not b that is. */
lab_status lab_array_min(lab_array *out, const lab_array *x, lab_stream *stream)
{
    static named_reduction least = {
        {"T x", "T y", "x", "a < b || a != a ? a : b", "y = a", NULL, .reduce_type = "T", .name = "array_min"}, NULL};
    return reduce(&least, stream, LAB_ARGS(x, out), "lab_array_min");
}

lab_status lab_array_max(lab_array *out, const lab_array *x, lab_stream *stream)
{
    static named_reduction most = {
        {"T x", "T y", "x", "a > b || a != a ? a : b", "y = a", NULL, .reduce_type = "T", .name = "array_max"}, NULL};
    return reduce(&most, stream, LAB_ARGS(x, out), "lab_array_max");
}

lab_status lab_array_dot(lab_array *out, const lab_array *x, const lab_array *y, lab_stream *stream)
{
    static named_reduction dot = {{"T x, T y", "U z", "(lab_value)x * (lab_value)y", "a + b", "z = a", "0",
                                   .reduce_type = "U", .name = "array_dot"},
                                  NULL};
    return reduce(&dot, stream, LAB_ARGS(x, y, out), "lab_array_dot");
}
