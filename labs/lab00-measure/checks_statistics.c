/* Numbers of times for lab 00; see checks_statistics.h. */
#include "checks_statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarize(double numbers[5], double *times, int count)
{
    double mean = 0, squares = 0;
    qsort(times, (size_t)count, sizeof *times, by_size);
    for (int k = 0; k < count; k++) mean += times[k] / count;
    for (int k = 0; k < count; k++) squares += (times[k] - mean) * (times[k] - mean) / count;
    const double result[] = {(times[(count - 1) / 2] + times[count / 2]) / 2, mean, sqrt(squares), times[0],
                             times[count - 1]};
    memcpy(numbers, result, sizeof result);
}

void summarize_bounds(check_bounds numbers[5], const check_bounds *time, int count)
{
    enum { DEVIATION = 2 };
    double *low = check_alloc((size_t)count * sizeof *low), *high = check_alloc((size_t)count * sizeof *high);
    double *between = check_alloc((size_t)count * sizeof *between), least[5], most[5], found[5], squares = 0;
    for (int k = 0; k < count; k++) {
        low[k] = time[k].low;
        high[k] = time[k].high;
        between[k] = middle(time[k]);
        squares += half_width(time[k]) * half_width(time[k]) / count;
    }
    summarize(least, low, count);
    summarize(most, high, count);
    summarize(found, between, count);
    for (int i = 0; i < 5; i++) numbers[i] = (check_bounds){least[i], most[i]};
    numbers[DEVIATION] = (check_bounds){found[DEVIATION] - sqrt(squares), found[DEVIATION] + sqrt(squares)};
}
