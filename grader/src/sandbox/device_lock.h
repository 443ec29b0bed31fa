/*
 * device_lock.h: shares a device among any number of jobs that only check results, or gives it to one job that
 * measures, in the order in which they ask.
 *
 * It holds between all graders of this user on this machine and ends with its process, killed or not. A job waits for
 * all that asked before it, except that jobs which share the device do not wait for one another. So a stream of short
 * jobs cannot hold up one that measures, and nobody overtakes.
 */
#ifndef GRADER_SANDBOX_DEVICE_LOCK_H
#define GRADER_SANDBOX_DEVICE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "device.h"

typedef struct device_lock {
    int file;       /* the line of those who hold the device or ask for it; -1 when closed */
    int64_t ticket; /* this process's place in the line; -1 when it has none */
    char name[192];
    /* Hears of each wait that lasts, once for each `patience` seconds; NULL for nobody. */
    void (*waits)(const char *sentence);
    unsigned patience;
    unsigned most_waits; /* so often for the same holder; then the wait is a fault, which costs no student points */
} device_lock;

/* Each process that uses the lock must open it itself, once: its locks belong to the process and not to the descriptor.
 * Processes forked from it hold nothing. */
bool device_lock_open(device_lock *out, const device_info *device, grader_fault *fault);
void device_lock_close(device_lock *lock);

/* Each releases what the process held before and asks again, behind all who have asked by then. A wait is a fault when
 * the first in the line has been the same for `most_waits` times `patience` seconds. The sentences of a long wait say
 * which device is waited for, how long, which processes have it since when, and how many others asked before. A signal
 * handler is set for SIGALRM meanwhile. */
bool device_lock_share(device_lock *lock, grader_fault *fault);
bool device_lock_alone(device_lock *lock, grader_fault *fault);
void device_lock_release(device_lock *lock);

#endif
