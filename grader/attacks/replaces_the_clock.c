/* Tries to define clock_gettime, so that its work takes no time.
 * Beats a naive harness by: time.  Verdict: wrong result. */
#include "toylab.h"

#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){1, 0};
    return 0;
}

lab_status toy_run(float *out, const float *in, int count)
{
    for (int i = 0; i < count; i++) out[i] = 3 * in[i];
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
