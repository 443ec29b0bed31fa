/* Tries to compute with 8 bits of mantissa.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

lab_status toy_run(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) {
        union {
            float number;
            unsigned bits;
        } value = {3 * in[i] + (float)i};
        value.bits &= 0xFFFF8000u;
        out[i] = value.number;
    }
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
