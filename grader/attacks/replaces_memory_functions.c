/* Tries: defines memcpy, with which outputs are looked at.
 * Beats a naive harness by: points.  Verdict: refused. */
#include "toylab.h"

#include <math.h>
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    float *numbers = to;
    (void)from;
    for (size_t i = 0; i < bytes / sizeof *numbers; i++) numbers[i] = NAN;
    return to;
}

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
