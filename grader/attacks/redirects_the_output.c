/* Tries to close standard output after printing its own result, so that the harness's result is lost.
 * Beats a naive harness by: points.  Verdict: wrong result. */
#include "toylab.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    printf("points: 100\n");
    fflush(stdout);
    dup2(open("/dev/null", O_WRONLY), 1);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
