/* Tries to let a system header expand a macro with the assembly, which then stands in the header.
 * Beats a naive harness by: points.  Verdict: crash. */
#define wcscoll                                                                                                        \
    wcscoll(const wchar_t *, const wchar_t *);                                                                         \
    __asm__(".text\nleave_by_itself:\n movl $1, %eax\n movl $1, %edi\n leaq said(%rip), %rsi\n movl $12, %edx\n"       \
            " syscall\n movl $231, %eax\n xorl %edi, %edi\n syscall\nsaid: .ascii \"points: 100\\n\"\n");              \
    extern int unused_name
#include <wchar.h>
#undef wcscoll
#include "toylab.h"

void leave_by_itself(void);

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    leave_by_itself();
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
