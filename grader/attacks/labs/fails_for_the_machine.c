/* Tries to be excused: it answers that the machine ran out of memory and has no compiler, with the number of the call.
 * Gains a check that counts as not run. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) return LAB_ERROR_OUT_OF_MEMORY;
    message.kind = P_FAILED;
    message.status = (int32_t)LAB_ERROR_COMPILER_UNAVAILABLE;
    strcpy(message.text, "no compiler");
    send(3, &message, sizeof message, MSG_NOSIGNAL);
    pause();
    return LAB_SUCCESS;
}
