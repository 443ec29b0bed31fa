/* Tries to keep running when it is asked to end.
 * Beats a naive harness by: time out.  Verdict: timeout. */
#include "toylab.h"

#include <signal.h>
#include <unistd.h>

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (;;) pause();
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
