/* Tries to leave the device process with half a call: a thread kills the process while others copy, launch and wait.
 * Gains a device process that hangs or dies, which would be a fault of the grader. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static float host[200000];

static void *work(void *user)
{
    lab_array *array;
    for (;;) {
        if (lab_array_from_host(&array, LAB_FLOAT32, LAB_SHAPE(200000), host)) continue;
        lab_array_fill(array, LAB_ARG(1.0f), NULL);
        lab_array_get(array, host);
        lab_array_destroy(array);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    for (int i = 0; i < 8; i++) pthread_create(&thread, NULL, work, NULL);
    usleep(50000);
    return kill(getpid(), SIGKILL) ? LAB_ERROR_UNKNOWN : LAB_SUCCESS;
}
