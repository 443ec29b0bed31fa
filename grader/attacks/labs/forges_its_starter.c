/* Tries to pretend that each call comes from a new thread which the latest one has started: the number of the starter is
 * forged in the timer slack. Gains an order between threads that nothing enforces. */
#include <pthread.h>
#include <sys/prctl.h>

static void *call(void *user)
{
    static int number;
    prctl(PR_SET_TIMERSLACK, 50000ul + (unsigned long)++number % 1000);
    lab_device_synchronize();
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread[40];
    for (int i = 0; i < 40; i++)
        if (pthread_create(&thread[i], NULL, call, NULL)) return LAB_ERROR_UNKNOWN;
    for (int i = 0; i < 40; i++) pthread_join(thread[i], NULL);
    return LAB_SUCCESS;
}
