/*
 * The engine's lock: one for the operations, schedules, streams, captures and graphs of all CPU devices.
 */
#ifndef LAB_CPU_ENGINE_ENGINE_LOCK_H
#define LAB_CPU_ENGINE_ENGINE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void cpu_engine_lock(void);
void cpu_engine_unlock(void);

/* With the lock, which is released meanwhile: sleeps until the condition is signalled. */
void cpu_engine_sleep(pthread_cond_t *condition);

/* The same for at most so many milliseconds, whatever is done to the machine's clock. True if they came first. */
bool cpu_engine_sleep_for(pthread_cond_t *condition, int milliseconds);

#endif
