/* The type of the value that an instruction of LLVM IR defines. */
#ifndef LAB_CPU_REGIONS_TYPES_H
#define LAB_CPU_REGIONS_TYPES_H

#include "graph.h"

/* Length 0 if the text does not show the type: a computed address, in a module with typed pointers. The text does not
 * contain the type of a comparison of vectors: it is written at *made, which moves on. It is no longer than the type of
 * the operands. */
span ir_type_of(const ir_instr *i, char **made);

#endif
