/* Tries to answer questions that the device process never asked, and to end a thread that it still asks.
 * Gains a thread of the device process that goes on with the wrong answer. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const uint32_t kinds[] = {W_ANSWER, W_END, W_REPLY, W_QUESTION, 0, 77};
    for (int i = 0; i < 6; i++) {
        w_channel *channel = w_open();
        if (!channel) return LAB_SUCCESS;
        const uint64_t copy[] = {0, 0x1000, 64};
        if (i % 2) { /* a question first: read memory for a long text */
            const unsigned char text[] = {0, 2, 0x88, 0x13, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0};
            w_send(channel, CALL_NUMBER(lab_module_load_source), text, sizeof text);
        } else {
            w_call(channel, CALL_NUMBER(lab_memcpy_htod), copy, sizeof copy);
        }
        w_await(channel, 100);
        channel->request.kind = kinds[i];
        channel->request.length = 16;
        w_pass(channel);
        w_await(channel, 100);
    }
    return LAB_SUCCESS;
}
