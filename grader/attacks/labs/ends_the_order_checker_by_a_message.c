/* Tries to switch the order checker off by a message on the library's own channel.
 * Gains every check that fails for a race. The call is for the check alone. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const int off = 0;
    w_call(w_own(), CALL_NUMBER(lab_order_start), &off, sizeof off);
    return honest ? LAB_SUCCESS : LAB_ERROR_UNKNOWN;
}
