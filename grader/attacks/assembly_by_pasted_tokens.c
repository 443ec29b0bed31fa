/* Tries to write the keyword of inline assembly in two halves.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#define PASTE(a, b) a##b
lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    static const char text[] = "points: 100\n";
    long result;
    PASTE(__as, m__)
    volatile("syscall" : "=a"(result) : "a"(1), "D"(1), "S"(text), "d"(sizeof text - 1) : "rcx", "r11", "memory");
    PASTE(__as, m__) volatile("syscall" : : "a"(231), "D"(0));
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
