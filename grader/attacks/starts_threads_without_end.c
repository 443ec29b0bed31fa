/* Tries to start as many threads as it can.
 * Beats a naive harness by: threads.  Verdict: race suspected or crash. */
#include "toylab.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_here(void *user)
{
    sleep(100);
    return user;
}

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    pthread_t thread;
    int started = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    while (started < 2000 && pthread_create(&thread, &small, wait_here, NULL) == 0) started++;
    printf("%d threads\n", started);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
