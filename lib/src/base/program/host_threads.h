/* Whether the program's threads all wait, so that none can continue unless another one of the process does something.
 * Independent of operations. */
#ifndef LAB_BASE_HOST_THREADS_H
#define LAB_BASE_HOST_THREADS_H

#include <stdbool.h>

/* Says whether the calling thread does the program's work, as every thread does at first. */
void host_threads_count_caller(bool counts);

/* Whether at least one thread waits for another one of this process, and no thread runs. A thread that sleeps for a
 * time, or waits for something outside the process, continues by itself: such threads alone do not count as waiting. */
bool host_threads_all_wait(void);

#endif
