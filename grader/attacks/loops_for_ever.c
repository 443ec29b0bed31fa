/* Tries to run for ever.
 * Beats a naive harness by: time out.  Verdict: timeout. */
#include "toylab.h"

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    for (volatile unsigned i = 0;; i++) {}
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    for (volatile unsigned i = 0;; i++) {}
}
