/*
 * What a kernel's source may not have because it is the host's: calls of functions that neither the source nor CUDA has,
 * inline assembly, code that would run when the module is loaded, sections of its own. nvcc refuses these for a GPU. Knows
 * the front end's code and the names that CUDA C has; refuses to know what the built-ins make of them.
 */
#ifndef LAB_CPU_IR_IR_HOST_H
#define LAB_CPU_IR_IR_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* The first such thing in the front end's code, said of the source: "calls getpid, ..."; false if there is none. */
bool cpu_ir_find_host_code(char *text, size_t capacity, const char *ir);

#endif
