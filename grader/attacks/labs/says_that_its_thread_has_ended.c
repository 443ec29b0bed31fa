/* Tries to tell the device process that the calling thread has ended, and to go on with its channel.
 * Gains calls that the order checker takes for those of a joined thread. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    w_channel *channel = w_own();
    if (!channel) return LAB_SUCCESS;
    channel->request.kind = W_END;
    w_pass(channel);
    usleep(20000);
    return lab_device_synchronize();
}
