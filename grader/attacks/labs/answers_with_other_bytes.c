/* Tries to answer the questions of the device process for memory with bytes of its own: longer ones than asked for, and
 * other ones at each time. Gains an upload that is not what lies in the memory. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    lab_array *array;
    LAB_TRY(lab_array_empty(&array, LAB_FLOAT32, LAB_SHAPE(100000)));
    w_channel *channel = w_open();
    if (!channel) return LAB_SUCCESS;
    const uint64_t copy[] = {(uint64_t)(uintptr_t)array, (uint64_t)(uintptr_t)in};
    w_send(channel, CALL_NUMBER(lab_array_set), copy, sizeof copy);
    for (int asked = 0; asked < 20 && w_await(channel, 200) && channel->reply.kind == W_QUESTION; asked++) {
        channel->request.kind = W_ANSWER;
        channel->request.length = asked % 2 ? UINT64_MAX : 0;
        memset(channel->request.bytes, asked + 1, W_BYTES);
        w_pass(channel);
    }
    return LAB_SUCCESS;
}
