/* Tries to write NaN, which no comparison finds too far away.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <math.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)in;
    for (int i = 0; i < count; i++) out[i] = NAN;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
