/* Tries to let the assembler copy a file into the program.
 * Beats a naive harness by: secret.  Verdict: build error. */
#include "toylab.h"

#include <stdio.h>

__asm__(".section .rodata\n.globl secret_bytes\nsecret_bytes: .incbin \"secret/values.inc\"\n.byte 0\n.text");
extern const char secret_bytes[];

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    printf("%s", secret_bytes);
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count)
{
    (void)sum, (void)in, (void)count;
    return LAB_SUCCESS;
}
