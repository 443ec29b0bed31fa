/*
 * Gives every division of integers a result. On a GPU x / 0 and x % 0 have some value, and INT_MIN / -1 wraps. A host
 * processor ends the process, and the compiler assumes that none of them happens. This pass divides by 1 instead, also
 * where the divisor is -1, and negates the quotient.
 */
#ifndef LAB_CPU_PASSES_DIVIDE_H
#define LAB_CPU_PASSES_DIVIDE_H

#include "cpu/ir/text.h"

#include <stdio.h>

/* Writes a division so that it always has a result; the values that it adds have names that end in `number`. Returns
 * false and writes nothing for any other line. */
bool ir_copy_division(FILE *out, span line, int number);

#endif
