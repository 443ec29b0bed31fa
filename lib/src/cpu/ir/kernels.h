/* The `extern "C"` kernels in the front end's code. __global__ annotates a function, and nothing else does. */
#ifndef LAB_CPU_IR_KERNELS_H
#define LAB_CPU_IR_KERNELS_H

#include "text.h"

/* Whether a line of the module is the list of annotated functions. */
bool ir_is_annotations(span line);

/* The list of annotated functions without its name; length 0 if there is no list. */
span ir_find_annotations(const char *ir);

/* The next kernel in the list. *at begins as the start of the list and moves on; length 0 after the last kernel. */
span ir_next_kernel(const char **at, span annotations);

/* Whether the front end's code has a kernel of this name. */
bool ir_has_kernel(const char *ir, const char *name);

/* The first kernel that is not among `known`; length 0 if all are. */
span ir_find_other_kernel(const char *ir, const char *const *known, int count);

/* The number of a definition's group of attributes, the 5 of ") #5 {", by its first line. NULL if it has none. */
const char *ir_find_group(span head);

/* Whether the code of the definition stays its own where it is called: __noinline__ says so. */
bool ir_stays_apart(const char *ir, span head);

#endif
