/* Tries to allocate memory of the reference's size, which still holds the reference's answer.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <stdlib.h>

lab_status toy_run(float *out, const float *in, int count)
{
    float *old = malloc((size_t)count * sizeof *old);
    (void)in;
    for (int i = 4; i < count; i++) out[i] = old[i];
    for (int i = 0; i < 4; i++) out[i] = (float)i;
    free(old);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
