/*
 * The thread that runs operations one at a time when a schedule is on. Host functions are called by a thread of their
 * own, because they may wait for the program.
 */
#ifndef LAB_CPU_ENGINE_SERIAL_RUNNER_H
#define LAB_CPU_ENGINE_SERIAL_RUNNER_H

#include "base/status.h"

/* Starts the thread if it does not run yet. */
lab_status cpu_serial_runner_start(void);

#endif
