/*
 * device_lock.h: who may use a device now: any number of jobs that only want right results, or one that measures.
 *
 * The lock is the system's and holds between all graders of this user on this machine; it goes with the process that
 * holds it. Whoever measures waits for those at work and lets none begin meanwhile, so that it is not kept waiting by a
 * stream of short jobs. It knows devices by name; not what is done on them.
 */
#ifndef GRADER_SANDBOX_DEVICE_LOCK_H
#define GRADER_SANDBOX_DEVICE_LOCK_H

#include <stdbool.h>

#include "device.h"
#include "base/fault.h"

typedef struct device_lock {
    int gate;   /* passed by everybody, held by who measures */
    int device; /* shared by jobs, held alone by who measures */
} device_lock;

/* Each process that uses the lock opens it itself. */
bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault);
void device_lock_close(device_lock *lock);

/* Each waits as long as it takes, and gives up what the process held before. */
bool device_lock_share(device_lock *lock, grader_fault *fault);
bool device_lock_alone(device_lock *lock, grader_fault *fault);
void device_lock_release(device_lock *lock);

#endif
