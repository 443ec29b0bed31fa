/*
 * The process's one runtime: which backend, which devices, and whether a call may be made now. Opened by the first call
 * that needs it.
 */
#ifndef LAB_OBJECTS_RUNTIME_H
#define LAB_OBJECTS_RUNTIME_H

#include "base/host_function.h"
#include "seam/backend.h"

/* Opens the runtime if it is not open yet. Every public call that needs a device begins here or in runtime_check. */
lab_status runtime_open(void);

/* Refuses calls that cannot work: from inside a host function, and in the child of a process that was forked after the
 * devices were opened. */
static inline lab_status runtime_check(void);

/* The backend and the number of its devices; only after runtime_open succeeded. */
static inline const lab_backend *runtime_backend(void);
int runtime_devices(void);

/* Refuses a number that no device has; `call` names the public function for the message. */
lab_status runtime_check_device(int device, const char *call);

/* What the short functions here look at, which is not to be changed from outside. */
extern const lab_backend *runtime_opened_backend;
extern bool
    runtime_forked; /* this process is the child of the one that opened the devices: their threads are not here */
lab_status runtime_refuse(void) __attribute__((cold));

static inline const lab_backend *runtime_backend(void) { return runtime_opened_backend; }

static inline lab_status runtime_check(void)
{
    return host_function_runs || runtime_forked ? runtime_refuse() : LAB_SUCCESS;
}

#endif
