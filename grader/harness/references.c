/* What kernels of several labs make of numbers, on the host; see case.h. */
#include "case.h"

#include <string.h>

void check_copied(float *to, const float *const *from, const check_case_run *now)
{
    memcpy(to, from[0], now->count * sizeof *to);
}

void check_summed(float *to, const float *const *from, const check_case_run *now)
{
    for (size_t i = *to = 0; i < now->count; i++) *to += from[0][i];
}

void check_advanced(float *to, const float *const *from, const check_case_run *now)
{
    const int steps = now->argument[0].name ? (int)now->argument[0].value : 1;
    for (size_t i = 0; i < now->count; i++) {
        float value = from[0][i];
        for (int step = 0; step < steps; step++) value = 3.9f * value * (1.0f - value);
        to[i] = value;
    }
}

void check_mixed(float *to, const float *const *from, const check_case_run *now)
{
    const float *other = from[1] ? from[1] : from[0];
    for (size_t i = 0; i < now->count; i++) to[i] = 0.5f * from[0][i] + 0.25f * other[i];
}
