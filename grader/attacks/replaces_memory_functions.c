/* Tries to define memcpy, which the harness uses to look at outputs.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <math.h>
#include <stddef.h>

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes)
{
    float *numbers = destination;
    (void)source;
    for (size_t i = 0; i < bytes / sizeof *numbers; i++) numbers[i] = NAN;
    return destination;
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
