/* Tries to restart the harness's program with environment variables of its choice, such as LD_PRELOAD.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#include <stdlib.h>
#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    static char program[] = "harness";
    char *const arguments[] = {program, NULL};
    (void)out, (void)in, (void)count;
    if (getenv("REUSE")) return LAB_SUCCESS;
    setenv("REUSE", "1", 1);
    execv("/proc/self/exe", arguments);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
