/*
 * Kernels and copies that touch missing memory: the signal that would end the process ends the kernel or the copy
 * instead. Knows signals and where a module's code lies. Independent of how a kernel is left.
 *
 * The program's own handlers keep all signals that do not come from a kernel. A handler that the program sets later
 * replaces the library's until the next module is loaded, and is still called after that.
 */
#ifndef LAB_CPU_KERNEL_KERNEL_SIGNALS_H
#define LAB_CPU_KERNEL_KERNEL_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/builtins/kernel_abi.h"

/* Sets the handlers, unless they are set. Called when a module is loaded. */
void cpu_kernel_signals_prepare(void);

/* Until cpu_kernel_signals_leave, a signal in the kernel's code calls launch->failed on the calling thread, which
 * may have switched to another stack. Leaving without having entered does nothing. */
void cpu_kernel_signals_enter(const cpu_kernel *kernel, const cpu_launch *launch);
void cpu_kernel_signals_leave(void);

/* The bytes that a copy or a fill uses. */
typedef struct cpu_moved {
    uint64_t address[2]; /* the same twice for a fill */
    size_t bytes;
} cpu_moved;

/* Calls the work, which copies or fills those bytes and has nothing to give back. False, with the address, if one of
 * them was not there: then the work was left in the middle. */
bool cpu_signals_move(uint64_t *missing, const cpu_moved *moved, void (*work)(void *user), void *user);

#endif
