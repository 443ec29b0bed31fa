/* What the two passes over the module share: which functions are kernels, which ones wait, groups of attributes. */
#ifndef LAB_CPU_SPLIT_MODULE_H
#define LAB_CPU_SPLIT_MODULE_H

#include "cpu/ir/symbols.h"

/* Marking copies each group of attributes twice. A copy has the number of its original plus one of these. */
enum { INLINED_GROUP = 100000, KERNEL_GROUP = 200000 };

/* An attribute that marks a kernel. It is not inlined before it has been split. */
#define KERNEL_MARK "\"lab-kernel\""

bool split_is_kernel(span name, const char *const *kernel, int count);

#endif
