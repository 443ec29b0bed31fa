/* How much of the machine this process may use: cores and memory. Independent of devices. */
#ifndef LAB_CPU_ENGINE_CAPACITY_H
#define LAB_CPU_ENGINE_CAPACITY_H

#include <stddef.h>

/* Cores that the process's threads may run on, at least 1. */
int cpu_usable_cores(void);

/* Bytes of memory: the machine's, or the smallest limit of a control group that the process is in. */
size_t cpu_usable_memory(void);

/* The smallest limit in the control group's folder and the folders above it, up to `root`; SIZE_MAX if there is none.
 * `file` is the name of the file that holds a limit: a number, or a word for no limit. */
size_t cpu_group_memory_limit(const char *root, const char *group, const char *file);

#endif
