/* Tries to let the loader choose a function by calling another, which prints the points.
 * Beats a naive harness by: points.  Verdict: crash. */
#include "toylab.h"

static int nothing(void) { return 0; }

static int (*choose(void))(void)
{
    static const char text[] = "points: 100\n";
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(1), "D"(1), "S"(text), "d"(sizeof text - 1)
                     : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : : "a"(231), "D"(0));
    return nothing;
}
int chosen(void) __attribute__((ifunc("choose")));
int (*volatile use)(void) = chosen;

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
