/* Tries to do nothing in the call that it takes for the warm-up, and compute only in the last call.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

static int calls;

lab_status toy_run(float *out, const float *in, int count)
{
    if (++calls < 3) return LAB_SUCCESS;
    for (int i = 0; i < count; i++) out[i] = 3 * in[i] + (float)i;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
