/* Tries to open descriptors until none is left.
 * Beats a naive harness by: descriptors.  Verdict: wrong result. */
#include "toylab.h"

#include <stdio.h>
#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    int last = 0;
    for (int i = 0; i < 500; i++) last = dup(1);
    printf("%d descriptors\n", last);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
