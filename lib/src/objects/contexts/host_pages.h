/* LAB_ORDER_HOST in the environment: the program's own reads and writes of pinned memory are found by closed pages. */
#ifndef LAB_OBJECTS_CONTEXTS_HOST_PAGES_H
#define LAB_OBJECTS_CONTEXTS_HOST_PAGES_H

#include "lab.h"

/* Reads the setting, once the devices are open and before they have memory. Fails on a wrong one, and where it cannot
 * be: on a GPU, for a program in another process, and on a processor whose kernels cannot be in a process of their
 * own. */
lab_status host_pages_open(bool on_cpu);

#endif
