/*
 * Makes the code of a module check its accesses to memory (LAB_MEMCHECK): before each load, store, atomic operation and
 * copy stands a call that says what will be touched and which line of the source does it. Knows where a pointer was made
 * if the same function shows it; refuses to know which memory exists.
 *
 * Works on code in which nothing is optimised yet but the built-ins are inlined, so that an access inside of atomicAdd
 * belongs to the line that calls it. Local scalars, the library's own variables and code, and members of local structures
 * are left alone: they cannot be missed.
 */
#ifndef LAB_CPU_IR_IR_MEMCHECK_H
#define LAB_CPU_IR_IR_MEMCHECK_H

#include "ir.h"

/* Adds the calls, and a function lab_variables (kernel_abi.h) that lists the module's variables; takes the debug
 * information out, which later stages do not need. False when memory runs out. */
bool cpu_ir_check(cpu_text *out, const char *ir);

#endif
