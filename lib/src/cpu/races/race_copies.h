/*
 * Asynchronous copies to shared memory, which are under way until their thread has waited for their group. The shadow
 * remembers a copy under way in a slot of its own, which races with every access of the block; once its thread has
 * waited, the copy is a store of that moment.
 */
#ifndef LAB_CPU_RACES_RACE_COPIES_H
#define LAB_CPU_RACES_RACE_COPIES_H

#include "race_order.h"
#include "race_shadow.h"

typedef struct race_copy {
    unsigned thread, group;
    uintptr_t address;
    size_t bytes;
    int32_t site;
} race_copy;

/* The copies of a block that are under way. All zero at first; race_copies_free frees it. */
typedef struct race_copies {
    race_copy *copy;
    size_t count, capacity;
    unsigned groups[RACE_THREADS]; /* that each thread has ended */
} race_copies;

/* Where copies are remembered: the memory of one block. */
typedef struct race_copies_place {
    race_shadow *shadow;
    race_recent *recent;
    const race_clock *clock;
} race_copies_place;

void race_copies_free(race_copies *copies);

/* A thread begins a copy. Without host memory for it, it is not remembered. */
void race_copies_begin(race_copies *copies, const race_copies_place *place, const race_copy *copy);

/* The thread ends a group, or waits for all groups but the last ones, as a cpu_fence says. */
void race_copies_pass(race_copies *copies, const race_copies_place *place, unsigned thread, unsigned fence);

#endif
