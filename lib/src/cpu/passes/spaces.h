/* Functions that tell a kernel in which memory an address lies (builtins_spaces.cuh). A module has them only if its
 * kernels ask: lab_in_shared(address) and lab_in_constant(address) compare with each variable of that kind.
 * lab_number_of(pointer) makes a number of an address, and counts as no access. */
#ifndef LAB_CPU_PASSES_SPACES_H
#define LAB_CPU_PASSES_SPACES_H

#include "cpu/ir/emit.h"

/* Whether a line declares one of the functions. */
bool ir_spaces_declares(span line);

/* Copies a text without the section of a constant (IR_CONSTANT_SECTION). */
void ir_spaces_copy(FILE *out, span text);

/* Copies a line that defines a constant so. Returns false and copies nothing for any other line. */
bool ir_spaces_copy_constant(FILE *out, span line);

/* Writes those functions that the module declares, for all its variables. */
void ir_spaces_write(FILE *out, const char *ir);

#endif
