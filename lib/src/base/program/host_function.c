/* The flag of a thread that runs a host function. */
#include "host_function.h"

_Thread_local bool host_function_runs;

lab_status host_function_check(void)
{
    if (!host_function_runs) return LAB_SUCCESS;
    return lab_fail(LAB_ERROR_NOT_PERMITTED,
                    "a host function must not call the library: the stream waits for its return");
}
