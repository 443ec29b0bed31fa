/* Tries to compute between the calls what the warm-up asked for, and only copy it while the clock runs.
 * Beats a naive harness by: points.  Verdict: race suspected or wrong result. */
#include "toylab.h"

#include <pthread.h>
#include <string.h>

static float ready[1000];
static const float *source;
static int length, calls;

static void *work(void *user)
{
    for (int i = 0; i < length; i++) ready[i] = 3 * source[i] + (float)i;
    return user;
}

lab_status toy_run(float *out, const float *in, int count)
{
    pthread_t thread;
    if (calls++ > 0) {
        memcpy(out, ready, (size_t)count * sizeof *out);
        return LAB_SUCCESS;
    }
    source = in, length = count;
    return pthread_create(&thread, NULL, work, NULL) ? LAB_ERROR_UNKNOWN : LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
