/* Tries to confuse whose turn it is: a second thread passes the turn and takes it while calls are being served.
 * Gains two requests executed at once on one thread of the device process. */
#include "parts/wire.h"

static w_channel *channel;
static volatile bool over;

static void *turn(void *user)
{
    for (unsigned i = 0; !over; i++) {
        w_now();
        channel->turn = i % 5;
        channel->sleeps[i % 2] = i;
        channel->request.kind = i % 7;
        if (i % 64 == 0) syscall(SYS_futex, &channel->turn, FUTEX_WAKE, 1000, NULL, NULL, 0);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    channel = w_open();
    if (!channel || pthread_create(&thread, NULL, turn, NULL)) return LAB_SUCCESS;
    for (int i = 0; i < 3000; i++) {
        w_send(channel, CALL_NUMBER(lab_stream_null), NULL, 0);
        w_await(channel, 1);
    }
    over = true;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
