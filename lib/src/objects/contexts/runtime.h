/*
 * The runtime of the process: which backend, which devices, and whether a call may be made now. The first call that
 * needs it opens it.
 */
#ifndef LAB_OBJECTS_CONTEXTS_RUNTIME_H
#define LAB_OBJECTS_CONTEXTS_RUNTIME_H

#include "base/program/host_function.h"
#include "seam/backend.h"

/* Opens the runtime if it is not open yet. Every public call that needs a device begins here or in runtime_check. */
lab_status runtime_open(void);

/* Fails for calls that cannot work: inside a host function, and in a process that was forked after its parent opened
 * the devices. */
static inline lab_status runtime_check(void);

/* The backend and the number of its devices. Only after runtime_open has succeeded. */
static inline const lab_backend *runtime_backend(void);
int runtime_devices(void);

/* Fails if there is no device of that number. `call` names the public function for the message. */
lab_status runtime_check_device(int device, const char *call);

/* Used by the inline functions only. */
extern const lab_backend *runtime_opened_backend;
extern bool runtime_forked; /* the devices were opened by a parent process, which has their threads */
lab_status runtime_refuse(void) __attribute__((cold));

static inline const lab_backend *runtime_backend(void) { return runtime_opened_backend; }

static inline lab_status runtime_check(void)
{
    return host_function_runs || runtime_forked ? runtime_refuse() : LAB_SUCCESS;
}

#endif
