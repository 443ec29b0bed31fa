/* What the program's threads are doing, by what the system says of them: whether all of them wait, so that none can go on
 * unless another does something. Knows nothing of operations. */
#ifndef LAB_CPU_RUN_HOST_THREADS_H
#define LAB_CPU_RUN_HOST_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the calling thread does the program's work; at first every thread does. */
void host_threads_count_caller(bool counts);

/* Whether at least one thread waits for another one of this process, and no thread runs. A thread that sleeps for a time,
 * or waits for something outside, goes on by itself: such threads alone do not count as waiting. */
bool host_threads_all_wait(void);

/* The time that the process has computed. */
int64_t host_threads_cpu_ns(void);

#endif
