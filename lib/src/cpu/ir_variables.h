/* The variables of a module, __device__ memory, and what its kernels do to them. */
#ifndef LAB_CPU_IR_VARIABLES_H
#define LAB_CPU_IR_VARIABLES_H

#include "ir.h"
#include "ir_symbols.h"

/* The type of a variable in device memory, from "= hidden global [256 x float] zeroinitializer, align 16"; length 0 for
 * anything else: a constant, the built-ins' own, what a thread or a block has to itself. */
span ir_variable_type(const ir_symbol *s);

/* What the reached functions do to the variable: n for neither reads nor writes, r, w, or b for both. */
char ir_variable_access(const ir_symbols *all, const ir_symbol *variable);

/* The same code, in which the optimiser keeps each variable whole and by its name: static ones too, which it may cut up or
 * do without otherwise. False when memory runs out. */
bool ir_variables_keep(cpu_text *out, const char *ir);

#endif
