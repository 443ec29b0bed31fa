/* Tries to leave a process that continues after its parent has ended.
 * Beats a naive harness by: processes.  Verdict: wrong result. */
#include "toylab.h"

#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    if (fork() == 0) {
        setsid();
        sleep(3);
        _exit(0);
    }
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
