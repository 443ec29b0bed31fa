/*
 * The engine's lock: one for the operations, schedules, streams, captures and graphs of all CPU devices.
 */
#ifndef LAB_CPU_ENGINE_ENGINE_LOCK_H
#define LAB_CPU_ENGINE_ENGINE_LOCK_H

#include <pthread.h>
#include <stdbool.h>

void cpu_engine_lock(void);
void cpu_engine_unlock(void);

/* With the lock, which is released meanwhile: sleeps until the condition is signalled or the time `limit`, NULL for
 * none, has come. True if the limit came first. */
bool cpu_engine_sleep(pthread_cond_t *condition, const struct timespec *limit);

/* The same for at most so many milliseconds. */
bool cpu_engine_sleep_for(pthread_cond_t *condition, int milliseconds);

#endif
