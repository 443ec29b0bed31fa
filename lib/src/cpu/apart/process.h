/* Starts the process of kernels, and waits for its end. */
#ifndef LAB_CPU_APART_PROCESS_H
#define LAB_CPU_APART_PROCESS_H

#include "apart_shared.h"
#include "lab.h"

#include <stdbool.h>

/* Starts it, once, with these files, the shared memory's first. `awaits_end` is called on a thread of its own when it
 * has ended. */
lab_status process_start(const int *files, int count, void (*awaits_end)(void));

/* True once it has ended. */
extern atomic_bool process_ended;

/* How it ended: "was ended by signal 11 (Segmentation fault)", and the signal, or 0. */
const char *process_end(int *signal_number);

#endif
