/* The system calls of a process that runs kernels. */
#ifndef LAB_KERNELS_SYSTEM_CALLS_H
#define LAB_KERNELS_SYSTEM_CALLS_H

#include <stdbool.h>

/* From now on, every system call of this process but a few ends it. */
bool system_calls_limit(void);

#endif
