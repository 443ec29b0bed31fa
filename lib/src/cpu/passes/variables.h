/* The variables of a module in device memory, and what its kernels do to them. */
#ifndef LAB_CPU_PASSES_VARIABLES_H
#define LAB_CPU_PASSES_VARIABLES_H

#include "cpu/ir/symbols.h"

#include <stdio.h>

/* The type of a variable in device memory, from "= hidden global [256 x float] zeroinitializer, align 16". Length 0 for
 * any other symbol: a constant, a variable of the built-ins, of a block or of a thread. */
span ir_variable_type(const ir_symbol *s);

/* What the reached functions do to the variable: r for reads, w for writes, b for both, n for neither. */
char ir_variable_access(const ir_symbols *all, const ir_symbol *variable);

/* Copies a line that defines a static variable so that the optimiser keeps the variable whole and under its name.
 * Returns false and copies nothing for any other line. */
bool ir_variables_keep(FILE *out, span line);

#endif
