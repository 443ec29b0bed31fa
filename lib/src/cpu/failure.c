/* How a stopped kernel is described: "kernel 'check', block [2,0,0], thread [4,0,0]: file.cu:4: Assertion ...". */
#include "failure.h"

#include <stdio.h>

void kernel_error_stopped(kernel_error *error, const cpu_kernel *kernel, const cpu_failure *failure)
{
    static const lab_status status[] = {
        [CPU_FAILURE_TRAP] = LAB_ERROR_LAUNCH_FAILED,
        [CPU_FAILURE_ASSERT] = LAB_ERROR_ASSERT,
        [CPU_FAILURE_ADDRESS] = LAB_ERROR_ILLEGAL_ADDRESS,
        [CPU_FAILURE_ALIGNMENT] = LAB_ERROR_MISALIGNED_ADDRESS,
    };
    error->status = status[failure->kind];
    if (!failure->file) {
        snprintf(error->message, sizeof error->message, "kernel '%s': %s", kernel->name, failure->what);
        return;
    }
    snprintf(error->message, sizeof error->message, "kernel '%s', block [%u,%u,%u], thread [%u,%u,%u]: %s:%u: %s%s%s",
             kernel->name, failure->block[0], failure->block[1], failure->block[2], failure->thread[0],
             failure->thread[1], failure->thread[2], failure->file, failure->line, failure->what,
             *failure->function ? " in " : "", failure->function);
}
