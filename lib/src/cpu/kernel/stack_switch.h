/*
 * Stacks for the threads of a block, and the switch from one to another. Knows the processor's calling convention.
 * Independent of when and why a thread is left.
 */
#ifndef LAB_CPU_KERNEL_STACK_SWITCH_H
#define LAB_CPU_KERNEL_STACK_SWITCH_H

#include <stdint.h>

/* Leaves the calling stack for the one whose place `other` is, and notes the place that it leaves in *place. Returns
 * when a switch to *place comes back. Registers that a called function need not keep are lost, as in any call. */
void cpu_stack_switch(void **place, void *other);

/* Empties stack number `number` of a set. A switch to the place that is returned calls `function`, which must not
 * return. */
void *cpu_stack_begin(unsigned char *set, unsigned number, void (*function)(void));

/* The end of the stack, of a set, that holds the address: its highest address, and one more. 0 if none holds it. */
uintptr_t cpu_stack_end(const unsigned char *set, unsigned stacks, uintptr_t address);

/* A set of stacks, each with a page below it that must not be touched; NULL if memory ran out. It is never freed. Its
 * pages take memory as they are used. */
unsigned char *cpu_stack_set(unsigned stacks);

#endif
