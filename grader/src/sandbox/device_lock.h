/*
 * device_lock.h: shares the devices that programs see among any number of jobs that only check results, or gives them
 * to one job that measures, in the order in which they ask. Devices are told apart by their UUIDs: two equal GPUs of a
 * machine have two lines, and a job that sees only one of them (CUDA_VISIBLE_DEVICES) leaves the other to others.
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

/* Those who hold a device or ask for it. */
typedef struct device_line {
    int file;
    int64_t ticket; /* this process's place; -1 when it has none */
} device_line;

typedef struct device_lock {
    device_line line[DEVICE_MOST]; /* of each device that programs here see */
    int count;
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
