/* Tries to print without end.
 * Beats a naive harness by: output.  Verdict: output flood. */
#include "toylab.h"

#include <stdio.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    for (int i = 0; i < 1000000; i++) printf("more and more\n");
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count) { return toy_run(sum, in, count); }
