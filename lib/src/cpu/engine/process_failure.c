#include "process_failure.h"

#include "engine_lock.h"

#include <stdio.h>

atomic_int cpu_process_failure;
static char failure_message[1024]; /* written once, before the status */

void cpu_process_fail(lab_status status, const char *message)
{
    cpu_engine_lock();
    if (atomic_load(&cpu_process_failure) == 0) {
        snprintf(failure_message, sizeof failure_message, "%s", message);
        atomic_store(&cpu_process_failure, (int)status);
    }
    cpu_engine_unlock();
}

lab_status cpu_process_check(void)
{
    const lab_status failure = (lab_status)atomic_load_explicit(&cpu_process_failure, memory_order_acquire);
    if (failure == LAB_SUCCESS) return LAB_SUCCESS;
    return lab_fail(failure, "%s; nothing more can be done on the device in this process", failure_message);
}
