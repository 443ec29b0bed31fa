/* When two floats agree: by their bits, by how many floats lie between them, or by their difference. */
#include "check_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Maps floats to integers in the same order, so that neighbours differ by one; both zeros map to 0. */
static int64_t order_of(float value)
{
    uint32_t bits = float_bits(value);
    return bits & 0x80000000u ? -(int64_t)(bits & 0x7FFFFFFFu) : (int64_t)bits;
}

/* How many floats one number is from the other; the distance to NaN and infinity has no end. */
uint64_t float_distance(float expected, float found)
{
    if (!isfinite(expected) || !isfinite(found)) return UINT64_MAX;
    return (uint64_t)llabs(order_of(expected) - order_of(found));
}

bool floats_agree(float expected, float found, const check_difference *allowed)
{
    if (float_bits(expected) == float_bits(found)) return true;
    if (!isfinite(expected) || !isfinite(found)) return false;
    return float_distance(expected, found) <= allowed->ulps || fabs((double)expected - (double)found) <= allowed->bound;
}
