/*
 * Makes the code of a module check its accesses to memory (LAB_MEMCHECK). A call before each load, store, atomic
 * operation and copy names the bytes and the line of the source. It also names the variable that the address was made
 * from, where the same function shows it.
 *
 * The code is not optimised yet, but the built-ins are inlined: an access inside atomicAdd belongs to the line that
 * calls it. Local scalars, members of local structures, and the library's own variables and code get no checks, since
 * accesses to them cannot miss.
 */
#ifndef LAB_CPU_PASSES_MEMCHECK_H
#define LAB_CPU_PASSES_MEMCHECK_H

#include "passes.h"

/* What the code is checked for besides bad accesses. What no check asks for is left out: it costs time. */
typedef enum check_form {
    CHECK_FORM_RACES = 1,  /* accesses on which the code decides for racecheck (race_abi.h) */
    CHECK_FORM_VALUES = 2, /* values that may be undefined are followed to their use (shadows.h) */
} check_form;

/* Adds the calls, and a function lab_variables (kernel_abi.h) that lists the module's variables. `form` is a sum of
 * check_forms. Removes the debug information, which later stages do not need. False when memory runs out. */
bool cpu_ir_check(cpu_text *out, const char *ir, unsigned form);

#endif
