/* Tries to keep the check reading: hundreds of thousands of messages that it is stuck somewhere.
 * Gains a check without end, or the memory of the check. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) message.version = 3;
    message.kind = P_STUCK;
    message.status = 1;
    memset(message.text, '<', sizeof message.text - 1);
    for (int i = 0; i < 300000; i++) send(3, &message, sizeof message, MSG_NOSIGNAL);
    return LAB_SUCCESS;
}
