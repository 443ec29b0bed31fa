/*
 * What stopped a kernel, as a status and a sentence for the person who wrote it. Knows what a kernel reports of itself;
 * refuses to know what becomes of the context.
 */
#ifndef LAB_CPU_FAILURE_H
#define LAB_CPU_FAILURE_H

#include <stdbool.h>

#include "kernel_abi.h"
#include "lab.h"

typedef struct kernel_error {
    lab_status status;
    char message[1024];
} kernel_error;

/* A failed assert, a __trap, a bad access. */
void kernel_error_stopped(kernel_error *error, const cpu_kernel *kernel, const cpu_failure *failure);

#endif
