/* Tries to end the record by a message and take it out of the device process.
 * Gains the record: the check finds none, or an empty one, and the attacker knows what the check looks at. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const unsigned char wanted = 1;
    w_call(w_own(), CALL_NUMBER(wire_trace_end), &wanted, sizeof wanted);
    return LAB_SUCCESS;
}
