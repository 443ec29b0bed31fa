/* Tries to return at once and compute in a thread after the clock has stopped.
 * Beats a naive harness by: points.  Verdict: race suspected. */
#include "toylab.h"

#include <pthread.h>
#include <unistd.h>

static float *to;
static const float *from;
static int length;

static void *work(void *user)
{
    usleep(30000);
    for (int i = 0; i < length; i++) to[i] = 3 * from[i] + (float)i;
    return user;
}

lab_status toy_run(float *out, const float *in, int count)
{
    pthread_t thread;
    to = out, from = in, length = count;
    pthread_create(&thread, NULL, work, NULL);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
