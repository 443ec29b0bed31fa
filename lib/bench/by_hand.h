/* What a programmer would write without the library: a team of threads, one per core, that share a loop. */
#ifndef LAB_BENCH_BY_HAND_H
#define LAB_BENCH_BY_HAND_H

#include <stddef.h>

typedef struct by_hand by_hand;

/* Starts a team; the caller is one of its threads. NULL if that fails. */
by_hand *by_hand_start(int threads);

/* Ends the team. NULL is accepted. */
void by_hand_stop(by_hand *team);

/* y = a * x + y, one slice per thread; returns when all slices are done. */
void by_hand_saxpy(by_hand *team, float *y, const float *x, float a, size_t count);

/* z = (x - y) * (x - y) + a, in the same way. */
void by_hand_squared_difference(by_hand *team, float *z, const float *x, const float *y, float a, size_t count);

/* The sum of x, with a vector of partial sums per thread; x is aligned to 64 bytes. */
float by_hand_sum(by_hand *team, const float *x, size_t count);

#endif
