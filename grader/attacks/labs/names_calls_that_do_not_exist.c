/* Tries to make the device process call a function behind the end of its table of calls.
 * Gains control over the device process, and with it the record. */
#include "parts/wire.h"

static lab_status attack(attack_honest *honest, void *arguments, size_t bytes, float *out, const float *in, int count)
{
    const uint32_t numbers[] = {CALL_NUMBER(wire_order_get_finding) + 1, 1u << 20, 1u << 31, UINT32_MAX};
    for (int i = 0; i < 4; i++) w_call(w_open(), numbers[i], NULL, 0);
    return LAB_SUCCESS;
}
