/*
 * Makes a function find its thread-local variables once. __shared__ memory and the built-ins' variables are of this
 * kind. The code generator asks where they are by a call at each place that names one, also in the innermost loop, and
 * leaves out a call behind another one that is always passed before it. So a call is put at the function's beginning.
 */
#ifndef LAB_CPU_PASSES_THREAD_LOCAL_H
#define LAB_CPU_PASSES_THREAD_LOCAL_H

#include <stdio.h>

/* Copies optimised code with such calls. */
void ir_find_thread_local_once(FILE *out, const char *ir);

#endif
