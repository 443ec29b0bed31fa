/*
 * Shuffled orders of numbers, made from a seed: the same seed gives the same order on every machine. Independent of
 * what the numbers stand for.
 */
#ifndef LAB_BASE_SHUFFLE_H
#define LAB_BASE_SHUFFLE_H

#include <stdint.h>

/* An order of the numbers from 0 to count - 1: number i of it is (first + i * step) % count. The step has no divisor in
 * common with the count. */
typedef struct shuffle {
    uint64_t count, step, first;
} shuffle;

/* Mixes the bits of a number: the output function of splitmix64. */
uint64_t shuffle_mix(uint64_t value);

/* The order that two random numbers choose. With enough numbers, the first and the last of all are inside the order,
 * not at its ends. Of two numbers, `turn` alternates which is first. */
shuffle shuffle_make(uint64_t count, uint64_t step_chance, uint64_t first_chance, uint64_t turn);

/* The same, from a seed. The order depends on the seed, the turn and the count alone. */
shuffle shuffle_by_seed(uint64_t seed, uint64_t turn, uint64_t count);

static inline uint64_t shuffle_at(const shuffle *order, uint64_t i)
{
    return (order->first + i * order->step) % order->count;
}

#endif
