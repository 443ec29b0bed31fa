/*
 * device_lock.h: shares a device among any number of jobs that only check results, or gives it to one job that
 * measures.
 *
 * The lock is a file lock: it holds between all graders of this user on this machine and ends with its process. A job
 * that measures waits for the running jobs and lets no new one begin, so that a stream of short jobs cannot hold it up.
 */
#ifndef GRADER_SANDBOX_DEVICE_LOCK_H
#define GRADER_SANDBOX_DEVICE_LOCK_H

#include <stdbool.h>

#include "base/fault.h"
#include "device.h"

typedef struct device_lock {
    int gate;   /* every job passes it; a job that measures holds it */
    int device; /* jobs share it; a job that measures holds it alone */
    char name[192];
    /* Hears of each wait that lasts, once for each `patience` seconds; NULL for nobody. */
    void (*waits)(const char *sentence);
    unsigned patience;
    unsigned most_waits; /* so often; then the wait is a fault, which costs no student points */
} device_lock;

/* Each process that uses the lock must open it itself. */
bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault);
void device_lock_close(device_lock *lock);

/* Each waits for `most_waits` times `patience` seconds at most and releases what the process held before. The sentences
 * of a long wait say which device is waited for, how long, and which processes have it. A signal handler is set for
 * SIGALRM meanwhile. */
bool device_lock_share(device_lock *lock, grader_fault *fault);
bool device_lock_alone(device_lock *lock, grader_fault *fault);
void device_lock_release(device_lock *lock);

#endif
