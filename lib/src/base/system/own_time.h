/*
 * Own time: how long the device has been in calls that wait for nothing which a program has enqueued: it starts, makes
 * or ends a context, loads a module, allocates. A GPU's driver makes such calls of all processes take turns, so that
 * they may take seconds while others use it. The check shares the memory that counts this, and reads it while a call is
 * under way.
 */
#ifndef LAB_BASE_SYSTEM_OWN_TIME_H
#define LAB_BASE_SYSTEM_OWN_TIME_H

#include <stdatomic.h>
#include <stdint.h>

enum { OWN_TIME_LEAST_NS = 10000000 }; /* stays that are shorter do not count: a loop of quick calls is no long one */

/* In nanoseconds of CLOCK_MONOTONIC. */
typedef struct own_time {
    _Atomic int64_t ended; /* all stays that have ended */
    _Atomic int64_t since; /* when the one under way began; 0 for none */
} own_time;

/* The calling thread enters such a call, and leaves it. Calls of several threads at the same time are one stay. */
void own_time_begins(void);
void own_time_ends(void);

/* The memory as a file, which stays this process's own; -1 if there is none. */
int own_time_file(void);

/* The nanoseconds of the stay under way at the time `now`, and of all stays until then. */
static inline int64_t own_time_of_stay(const own_time *counted, int64_t now)
{
    const int64_t since = atomic_load(&counted->since);
    return since && now - since >= OWN_TIME_LEAST_NS ? now - since : 0;
}

static inline int64_t own_time_of_all(const own_time *counted, int64_t now)
{
    return atomic_load(&counted->ended) + own_time_of_stay(counted, now);
}

#endif
