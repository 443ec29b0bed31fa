/* Tries to include itself and keep the assembly in the inner copy, as if it belonged to a header.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

#ifndef INNER
#define INNER
#include __FILE__
#else
static void leave(void)
{
    static const char text[] = "points: 100\n";
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1), "D"(1), "S"(text), "d"(sizeof text - 1)
                     : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
}
#endif
#ifndef OUTER
#define OUTER
#else
lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    leave();
    return LAB_SUCCESS;
}
lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
#endif
