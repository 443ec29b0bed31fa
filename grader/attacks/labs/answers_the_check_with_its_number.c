/* Tries to answer the check itself: it finds the number of the call in the memory of the worker, and sends that the call
 * is done, with results of its own. Gains the clock, which stops there, and every result that the check believes. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) return LAB_SUCCESS;
    message.kind = P_DONE;
    message.data_bytes = sizeof message.data;
    for (size_t i = 0; i < sizeof message.data; i += 4) message.data[i] = 1;
    send(3, &message, sizeof message, MSG_NOSIGNAL);
    pause();
    return LAB_SUCCESS;
}
