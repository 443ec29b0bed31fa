/* Tries to answer the check twice without any work, and to let the worker answer again.
 * Gains the time of the work, or an answer for a later call. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) return LAB_SUCCESS;
    message.kind = P_DONE;
    message.data_bytes = sizeof message.data;
    send(3, &message, sizeof message, MSG_NOSIGNAL);
    send(3, &message, sizeof message, MSG_NOSIGNAL);
    return LAB_SUCCESS;
}
