/* The clock of the host and of the CPU device: nanoseconds of CLOCK_MONOTONIC, which cannot be set. */
#ifndef LAB_BASE_MONOTONIC_H
#define LAB_BASE_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
