/* Whether the calling thread is running a host function of the program. A host function must not call the library. */
#ifndef LAB_BASE_HOST_FUNCTION_H
#define LAB_BASE_HOST_FUNCTION_H

#include "base/status.h"

#include <stdbool.h>

extern _Thread_local bool host_function_runs;

/* Called before and after a host function, on the thread that runs it. */
static inline void host_function_enter(void) { host_function_runs = true; }
static inline void host_function_leave(void) { host_function_runs = false; }

/* Fails with LAB_ERROR_NOT_PERMITTED inside a host function. */
lab_status host_function_check(void);

#endif
