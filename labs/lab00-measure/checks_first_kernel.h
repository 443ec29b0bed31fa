/* Task 0 of lab 00: one launch, with a thread for each number. */
#ifndef LAB00_CHECKS_FIRST_KERNEL_H
#define LAB00_CHECKS_FIRST_KERNEL_H

#include "check.h"

/* Calls lab00_first_kernel for so many numbers. Fails the check unless its one launch wrote all of them. */
void launch_once(check_program *program, int count);

#endif
