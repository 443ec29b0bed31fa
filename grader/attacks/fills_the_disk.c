/* Tries to write files without end.
 * Beats a naive harness by: disk.  Verdict: wrong result. */
#include "toylab.h"

#include <stdio.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    static char bytes[1 << 20];
    FILE *file = fopen("big", "w");
    for (int i = 0; file && i < 20; i++) fwrite(bytes, 1, sizeof bytes, file);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
