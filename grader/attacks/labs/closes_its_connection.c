/* Tries to go on without a device process: it closes and shuts down the connection, and reports success.
 * Gains a check that believes the report, or a device process that waits. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    shutdown(w_socket(), SHUT_RDWR);
    close(w_socket());
    for (int i = 0; i < count; i++) out[i] = in[i];
    return LAB_SUCCESS;
}
