/* Tries to compute in a thread that goes on between the calls: it sees new inputs in the shared memory and has the outputs
 * ready when the call comes. Gains the time of the work. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static float *volatile to;
static const float *volatile from;
static volatile int length;

static void *prepare(void *user)
{
    for (;;) {
        for (int i = 0; to && i < length; i++) to[i] = 2 * from[i];
        usleep(100);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static pthread_t thread;
    to = out, from = in, length = count;
    if (!thread) pthread_create(&thread, NULL, prepare, NULL);
    return LAB_SUCCESS;
}
