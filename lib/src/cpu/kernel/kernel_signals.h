/*
 * Kernels that touch memory that is not there: the signal that would end the process ends the kernel instead. Knows
 * signals and where a module's code lies; refuses to know how a kernel is left.
 *
 * The program's own handlers keep all signals that do not come from a kernel. One that a program sets afterwards takes
 * the place of the library's until the next module is loaded, and keeps being called after that.
 */
#ifndef LAB_CPU_KERNEL_KERNEL_SIGNALS_H
#define LAB_CPU_KERNEL_KERNEL_SIGNALS_H

#include <stdbool.h>

#include "cpu/builtins/kernel_abi.h"

/* Sets the handlers, unless they are set; called when a module is loaded. */
void cpu_fault_prepare(void);

/* From here to cpu_fault_leave a signal in the kernel's code calls launch->failed, on the calling thread, which may have
 * gone to another stack. Leaving without having entered does no harm. */
void cpu_fault_enter(const cpu_kernel *kernel, const cpu_launch *launch);
void cpu_fault_leave(void);

#endif
