/* Tries to claim that the line with the assembly belongs to a system header.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    static const char text[] = "points: 100\n";
    long result;
# 1 "/usr/include/stdio.h" 1 3
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1), "D"(1), "S"(text), "d"(sizeof text - 1)
                     : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
