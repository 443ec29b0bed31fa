/* The names of the functions at which the threads of a kernel wait. */
#ifndef LAB_CPU_BUILTINS_WAIT_NAME_H
#define LAB_CPU_BUILTINS_WAIT_NAME_H

#include <stdbool.h>

#include "kernel_abi.h"

/* "__shfl_down_sync" */
const char *cpu_wait_name(cpu_wait_kind kind);

/* The name of a wait that a split kernel has; NULL if its threads never wait. */
const char *cpu_split_wait_name(const cpu_split *split);

#endif
