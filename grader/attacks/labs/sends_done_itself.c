/* Tries to answer the check on its own connection, before the work and instead of it. */
#include <sys/socket.h>

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    static const char message[8192] = {1, 0, 0, 0, 3};
    (void)honest, (void)arguments, (void)bytes, (void)out, (void)in, (void)count;
    send(3, message, sizeof message, 0);
    return LAB_SUCCESS;
}
