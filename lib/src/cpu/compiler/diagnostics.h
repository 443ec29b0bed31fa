/* The compiler's messages about a kernel source, without what is not about it. */
#ifndef LAB_CPU_COMPILER_DIAGNOSTICS_H
#define LAB_CPU_COMPILER_DIAGNOSTICS_H

/* The messages as the user should see them, for the caller to free: "" if there is no error with a place in a file
 * among them, NULL when memory runs out. */
char *cpu_diagnostics(const char *errors);

#endif
