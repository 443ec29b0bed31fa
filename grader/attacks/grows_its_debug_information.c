/* Tries to crash with debug information of eight million functions, which take a gigabyte to look through.
 * Beats a naive harness by: debugger.  Verdict: crash. */
#include "toylab.h"

#include <stddef.h>

#ident "x\"\n\
.pushsection .debug_abbrev, \"\", @progbits\n\
grown_abbrev: .byte 1, 0x11, 1, 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0\n\
.byte 2, 0x2e, 0, 0, 0, 0\n\
.popsection\n\
.pushsection .debug_info, \"\", @progbits\n\
.long grown_end - grown_begin\n\
grown_begin: .short 4\n\
.long grown_abbrev\n\
.byte 8, 1\n\
.long 0\n\
.quad 0, 0x7fffffffffff\n\
.fill 8000000, 1, 2\n\
.byte 0\n\
grown_end: .popsection\n\
.ident \"x"

lab_status toy_run(float *out, const float *in, int count)
{
    (void)out, (void)in, (void)count;
    volatile int *nowhere = NULL;
    *nowhere = 1;
    return LAB_SUCCESS;
}

lab_status toy_sum(float *sum, const float *in, int count) { return toy_run(sum, in, count); }
