/* Picks the messages about a kernel source from the compiler's. */
#ifndef LAB_CPU_COMPILER_DIAGNOSTICS_H
#define LAB_CPU_COMPILER_DIAGNOSTICS_H

/* The messages for the user, for the caller to free. "" if none of them is an error with a place in a file. NULL when
 * memory runs out. */
char *cpu_diagnostics(const char *errors);

#endif
