/* Tries to read the seed from the environment in which its check runs.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <stdlib.h>

lab_status toy_run(float *out, const float *in, int count)
{
    const char *seed = getenv("SEED");
    (void)in;
    srand(seed ? (unsigned)atoi(seed) : 0);
    for (int i = 0; i < count; i++) out[i] = 3 * ((float)rand() / (float)RAND_MAX) + (float)i;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
