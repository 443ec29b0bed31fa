/* Tries to crash the check by the report of a crash: frames, base and stack near the ends of the address space, a signal
 * that does not exist, a text full of formats. Gains a fault of the grader, or a long search for lines. */
#include "parts/protocol.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static p_message message;
    if (!p_find_call(&message)) message.version = 3;
    message.kind = P_CRASH;
    message.number = 0;
    memset(message.text, '%', sizeof message.text - 1);
    memset(message.name, 'n', sizeof message.name - 1);
    message.crash.signal = 0x7fffffff;
    message.crash.code = -2147483647;
    message.crash.stack = message.crash.address = UINT64_MAX;
    message.crash.base = UINT64_MAX - 5;
    message.crash.frames = 48;
    for (int i = 0; i < 48; i++) message.crash.frame[i] = (uint64_t)i << 58 | (uint64_t)i;
    send(3, &message, sizeof message, MSG_NOSIGNAL);
    pause();
    return LAB_SUCCESS;
}
