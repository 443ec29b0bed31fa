/* The memory, arguments and marks that checks.c and program.c of lab 11 share. The student's file does not need them.
 */
#ifndef LAB11_SHARED_H
#define LAB11_SHARED_H

#include "lab11.h"

enum { LAB11_MOST = 16384, LAB11_ARRAYS = 3 * LAB11_DEVICES };

/* Arguments of all calls. */
typedef struct lab11_arguments {
    int devices, current; /* the devices of the work, and the one that is current when the function is called */
    int count, steps, rounds;
    int to, from;       /* devices: of lab11_make and lab11_advance `to`, of lab11_move both */
    bool broken, fails; /* the last device has no kernels, or `to` is too small; the function shall fail */
} lab11_arguments;

/* The marks of the stream of each device, while it is current, and of work->advance in task 1. */
#define LAB11_ASKED "lab11 asked for the given work"
#define LAB11_MARKS                                                                                                    \
    {                                                                                                                  \
        "the stream of device 0", "the stream of device 1", "the stream of device 2"                                   \
    }

/* The shared memory. */
typedef struct lab11_memory {
    float in[LAB11_ARRAYS][LAB11_MOST];
    float out[LAB11_ARRAYS][LAB11_MOST];
} lab11_memory;

#endif
