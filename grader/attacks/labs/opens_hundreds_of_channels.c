/* Tries to use up threads, memory and descriptors of the device process by hundreds of threads that each call once and
 * stay. Gains a device process that cannot serve its check any more. */
#include <pthread.h>
#include <unistd.h>

static void *call_and_stay(void *user)
{
    lab_stream_null();
    sleep(3);
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static pthread_t thread[900];
    int started = 0;
    while (started < 900 && pthread_create(&thread[started], NULL, call_and_stay, NULL) == 0) started++;
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);
    return LAB_SUCCESS;
}
