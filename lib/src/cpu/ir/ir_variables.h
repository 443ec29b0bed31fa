/* The variables of a module, __device__ memory, and what its kernels do to them. */
#ifndef LAB_CPU_IR_IR_VARIABLES_H
#define LAB_CPU_IR_IR_VARIABLES_H

#include "ir_symbols.h"

#include <stdio.h>

/* The type of a variable in device memory, from "= hidden global [256 x float] zeroinitializer, align 16"; length 0 for
 * anything else: a constant, the built-ins' own, what a thread or a block has to itself. */
span ir_variable_type(const ir_symbol *s);

/* What the reached functions do to the variable: n for neither reads nor writes, r, w, or b for both. */
char ir_variable_access(const ir_symbols *all, const ir_symbol *variable);

/* Copies a line that defines a static variable so that the optimiser keeps it whole and by its name, which it may cut up
 * or do without otherwise; false, and nothing copied, if the line is another. */
bool ir_variables_keep(FILE *out, span line);

#endif
