/* The CPU devices themselves: how many there are, what they say of themselves, and their threads. */
#ifndef LAB_CPU_RUN_CPU_DEVICE_H
#define LAB_CPU_RUN_CPU_DEVICE_H

#include "seam/backend.h"

/* Entries of the backend. */
lab_status cpu_device_open(int *devices);
lab_status cpu_device_info(lab_device_info *info, int device);
bool cpu_device_can_access_peer(int device, int peer);

/* Starts the device's threads if they do not run yet. */
lab_status cpu_device_start(int device);

/* The memory of one device, in bytes. */
size_t cpu_device_memory(void);

/* How many priorities its streams have. */
int cpu_device_priorities(void);

#endif
