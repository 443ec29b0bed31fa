/* Gives casts from floating point to integers CUDA's results: they saturate, and a NaN becomes what it becomes on a
 * GPU. */
#ifndef LAB_CPU_PASSES_CASTS_H
#define LAB_CPU_PASSES_CASTS_H

#include "cpu/ir/text.h"

#include <stdio.h>

enum { IR_CASTS = 16 }; /* two types, each to eight */

/* Copies text with the casts in it renamed, and notes in `used` which casts they are. */
void ir_copy_casts(FILE *out, span text, bool used[IR_CASTS]);

/* Whether the line declares a cast under its old name. */
bool ir_declares_cast(span line);

/* Writes a function for each cast that is used. */
void ir_write_casts(FILE *out, const bool used[IR_CASTS]);

#endif
