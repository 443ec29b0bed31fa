/* Whether the calling thread runs a host function of the program, which must not call the library. */
#ifndef LAB_BASE_HOST_FUNCTION_H
#define LAB_BASE_HOST_FUNCTION_H

#include "status.h"

#include <stdbool.h>

extern _Thread_local bool host_function_runs;

/* Around a host function, on the thread that calls it. */
static inline void host_function_enter(void) { host_function_runs = true; }
static inline void host_function_leave(void) { host_function_runs = false; }

/* Refuses a call from inside a host function. */
lab_status host_function_check(void);

#endif
