/*
 * The process that runs kernels for a device process (cpu/apart). Once it is ready, it makes no system call but those
 * of system_calls.h. Any code may run in it, so that nothing here protects one part of it from another.
 */
#ifndef LAB_KERNELS_KERNELS_H
#define LAB_KERNELS_KERNELS_H

#include "cpu/apart/apart_shared.h"

#include <stdbool.h>

/* Maps what the device process shares with this one, from the inherited files; NULL if that fails. */
apart_head *kernels_map_all(void);

/* Serves the device process until it ends this one. */
void kernels_serve(apart_head *head);

#endif
