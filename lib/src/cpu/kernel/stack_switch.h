/*
 * Stacks for the threads of a block, and going from one to another. Knows the processor's calling convention; refuses
 * to know why and when a thread is left.
 */
#ifndef LAB_CPU_KERNEL_STACK_SWITCH_H
#define LAB_CPU_KERNEL_STACK_SWITCH_H

/* Leaves the calling stack, noting in *from where it stands, for the one that `to` notes; returns when somebody comes
 * back to *from. What is in registers beyond those that a called function keeps is lost, as in any call. */
void cpu_switch(void **from, void *to);

/* The stack number `number` of a set, empty: going to it calls `function`, which must not return. */
void *cpu_stack_begin(unsigned char *set, unsigned number, void (*function)(void));

/* A set of stacks, each with a page below it that nothing may touch; NULL if there is no memory. It is never freed:
 * its pages are touched as they are used. */
unsigned char *cpu_stack_set(unsigned stacks);

#endif
