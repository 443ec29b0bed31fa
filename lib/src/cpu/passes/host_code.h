/*
 * Finds code of the host's in a kernel's source: functions and variables that neither the source nor CUDA defines,
 * builtins of one processor, inline assembly, code that would run when the module is loaded, sections. nvcc refuses
 * these for a GPU. All of them show in the front end's code.
 */
#ifndef LAB_CPU_PASSES_HOST_CODE_H
#define LAB_CPU_PASSES_HOST_CODE_H

#include "cpu/ir/text.h"

/* A message about the source: the name of a function, or length 0, and the rest of the sentence; the line of the code
 * that it is about, or length 0. */
typedef struct host_code {
    span name;
    const char *what;
    span line;
} host_code;

/* Finds the first such code. False if there is none. `is_whole`: no other file defines functions or variables for this
 * code. */
bool ir_find_host_code(host_code *found, const char *ir, bool is_whole);

/* Finds a function that is neither defined nor CUDA's and has a name as in C: another file's, or else the host's. */
bool ir_find_foreign_function(span *name, const char *ir);

#endif
