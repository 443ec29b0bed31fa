/* What the result shows beside the checks: times and ratios. It knows numbers and labels; not what was timed. */
#include "check_internal.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *sorted(const double *values, size_t count)
{
    double *copy = check_alloc(count * sizeof *copy);
    memcpy(copy, values, count * sizeof *copy);
    qsort(copy, count, sizeof *copy, compare_doubles);
    return copy;
}

double check_median(const double *values, size_t count)
{
    if (count == 0) check_fault("the median of no values was asked for");
    const double *ordered = sorted(values, count);
    return count % 2 ? ordered[count / 2] : (ordered[count / 2 - 1] + ordered[count / 2]) / 2;
}

static void append(json_t *list, json_t *entry)
{
    if (!entry || json_array_append_new(list, entry) < 0) check_fault("not enough memory for the table of times");
}

/* The samples in the order they were taken. */
static json_t *samples_json(const double *milliseconds, size_t samples)
{
    json_t *list = json_array();
    for (size_t i = 0; i < samples; i++) append(list, json_real(milliseconds[i]));
    return list;
}

void check_timing(const char *label, check_who who, const double *milliseconds, size_t samples)
{
    double median = check_median(milliseconds, samples);
    const double *ordered = sorted(milliseconds, samples);
    append(check_now.timings, json_pack("{s:s, s:s, s:f, s:f, s:f, s:I, s:o}", "label", label, "who",
                                        who == CHECK_YOURS ? "yours" : "reference", "median_ms", median, "min_ms",
                                        ordered[0], "max_ms", ordered[samples - 1], "samples", (json_int_t)samples,
                                        "samples_ms", samples_json(milliseconds, samples)));
}

void check_ratio(const char *label, double yours, double reference)
{
    append(check_now.ratios, json_pack("{s:s, s:f, s:f}", "label", label, "yours", yours, "reference", reference));
}
