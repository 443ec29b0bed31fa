/* Tries to begin a new record by a message of its own, as the check does, so that what came before is forgotten.
 * Gains the record: it would hold what the attacker wants. The call is for the check alone. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    w_call(w_open(), CALL_NUMBER(lab_trace_begin), NULL, 0);
    return LAB_SUCCESS;
}
