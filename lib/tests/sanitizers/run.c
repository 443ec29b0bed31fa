/* Runs one kernel: sanitizer_run FILE KERNEL BLOCKS THREADS SHARED-BYTES. Prints what a check found; the exit status is
 * then 1. */
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned number(const char *text) { return (unsigned)strtoul(text, NULL, 10); }

int main(int argc, char **argv)
{
    lab_deviceptr out, zero;
    if (argc != 6) {
        fputs("usage: sanitizer_run FILE KERNEL BLOCKS THREADS SHARED-BYTES\n", stderr);
        return 2;
    }
    const sanitizer_launch run = {argv[1], argv[2], number(argv[3]), number(argv[4]), number(argv[5])};
    if (sanitizer_run(&out, &zero, &run) == LAB_SUCCESS) return 0;
    puts(lab_error_message());
    return 1;
}
