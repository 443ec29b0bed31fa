/*
 * Division of integers. A GPU gives some value for x / 0 and x % 0, and the wrapped one for INT_MIN / -1; a processor
 * ends the process, and the compiler takes for granted that it never happens. Here the divisor is then made 1.
 */
#ifndef LAB_CPU_IR_IR_DIVIDE_H
#define LAB_CPU_IR_IR_DIVIDE_H

#include "ir_text.h"

#include <stdio.h>

/* Writes a division that may not have a result so that it has one, `number` being one of its own; false, with nothing
 * written, if the line is none. */
bool ir_copy_division(FILE *out, span line, int number);

#endif
