/* Tries to remember an answer by the address of its inputs.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

static const float *seen;
static float kept[1000];

lab_status toy_run(float *out, const float *in, int count)
{
    if (in != seen) {
        seen = in;
        for (int i = 0; i < count; i++) kept[i] = 3 * in[i] + (float)i;
        return LAB_SUCCESS;
    }
    for (int i = 0; i < count; i++) out[i] = kept[i];
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
