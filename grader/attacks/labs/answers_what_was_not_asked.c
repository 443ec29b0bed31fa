/* Tries every answer of the protocol, in the hope that one of them stays in the socket until the check asks for it.
 * Gains a record or a greeting that the check takes from the attacker. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) message.version = 3;
    for (uint32_t kind = P_STUCK; kind >= P_HELLO; kind--) {
        message.kind = kind;
        message.number = 0;
        send(3, &message, sizeof message, MSG_NOSIGNAL);
    }
    return LAB_SUCCESS;
}
