/* Tries to make calls by two threads in one channel: the library's own calls, and messages written next to them.
 * Gains a thread of the device process that believes to be in two calls, with the state of both. */
#include "parts/wire.h"

static w_channel *channel;
static volatile bool over;

static void *call(void *user)
{
    for (int i = 0; i < 20000 && !over; i++) {
        w_now();
        channel->request.number = CALL_NUMBER(lab_device_synchronize);
        channel->request.length = 6;
        channel->request.kind = W_CALL;
        w_pass(channel);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    lab_event *event;
    channel = w_own();
    if (!channel || pthread_create(&thread, NULL, call, NULL)) return LAB_SUCCESS;
    for (int i = 0; i < 1000; i++)
        if (lab_event_create(&event, LAB_EVENT_DEFAULT) == LAB_SUCCESS) lab_event_destroy(event);
    over = true;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
