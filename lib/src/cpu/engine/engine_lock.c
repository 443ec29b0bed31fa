#include "engine_lock.h"

#include <time.h>

static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;

void cpu_engine_lock(void) { pthread_mutex_lock(&engine_lock); }

void cpu_engine_unlock(void) { pthread_mutex_unlock(&engine_lock); }

void cpu_engine_sleep(pthread_cond_t *condition) { pthread_cond_wait(condition, &engine_lock); }

bool cpu_engine_sleep_for(pthread_cond_t *condition, int milliseconds)
{
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += milliseconds / 1000;
    limit.tv_nsec += milliseconds % 1000 * 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    return pthread_cond_clockwait(condition, &engine_lock, CLOCK_MONOTONIC, &limit) != 0;
}
