/*
 * What orders the accesses of a launch's threads: barriers, __syncwarp, and atomic operations after a fence. Knows
 * CUDA's rules. Independent of memory and of how threads run.
 *
 * A block counts its synchronisations. An access is stamped with the count at which its thread last synchronised. A
 * thread knows, of each thread of its block, the count before which everything has happened before its own next access.
 * A fence and an atomic or volatile access publish what a thread knows at an address; an atomic or volatile access to
 * that address acquires it, and is behind the publishing access itself. A fence before a barrier publishes for all
 * threads behind the barrier.
 */
#ifndef LAB_CPU_RACES_RACE_ORDER_H
#define LAB_CPU_RACES_RACE_ORDER_H

#include <stdbool.h>

#include "cpu/kernel/warp.h"

#include <stdint.h>

enum { RACE_THREADS = 1024 }; /* of a block, at most */

/* When and by whom an access was made. All zeros stand for none: counts begin at 1. The words are for writing a stamp
 * in the parts in which it is read. */
typedef union race_stamp {
    struct {
        uint32_t block, when;
        uint16_t thread;
        uint8_t strength; /* a cpu_strength */
        /* The caller's: whether the thread came to a higher line before, after the last barrier; where. */
        uint8_t again;
        int32_t site;
    };
    uint64_t word[2];
} race_stamp;

typedef struct race_launch race_launch; /* what the blocks of a launch publish */

/* A block that runs; one thread of the host uses it. Its clock, for the functions below. */
typedef struct race_block race_block;
typedef struct race_clock {
    uint32_t block, barrier;      /* its number; the count at the last barrier */
    bool acquired;                /* whether a thread has acquired anything */
    bool lanes;                   /* whether lanes have passed __syncwarp since the last barrier */
    uint32_t start[RACE_THREADS]; /* the count at the thread's last synchronisation */
} race_clock;

/* NULL when memory runs out. */
race_launch *race_launch_create(void);
void race_launch_free(race_launch *launch);
race_block *race_block_create(race_launch *launch);
void race_block_free(race_block *block);

/* The next block begins, and nothing of it has happened. */
void race_begin(race_block *block, uint32_t number, unsigned threads);

/* All threads passed a barrier; lanes of a warp passed __syncwarp; a thread came to a fence, for other blocks too or
 * for its own alone. */
void race_pass_barrier(race_block *block);
void race_pass_warp(race_block *block, unsigned warp, uint32_t lanes);
void race_pass_fence(race_block *block, unsigned thread, bool for_block);

/* A thread is about to access an address atomically, or has. What is published `for_block` only threads of the block
 * acquire. Without memory nothing is published. */
void race_publish(race_block *block, unsigned thread, uintptr_t address, bool for_block);
void race_acquire(race_block *block, unsigned thread, uintptr_t address);

const race_clock *race_clock_of(const race_block *block);

/* For race_is_ordered, which looks further: in what the warp's lanes know, and in what the thread has acquired. */
bool race_is_ordered_by_lanes(const race_block *block, race_stamp access, unsigned thread);
bool race_is_acquired(race_block *block, race_stamp access, unsigned thread, uintptr_t address);

/* Whether the access happened before the thread's next one. Both are to the address. */
static inline bool race_is_ordered(race_block *block, const race_clock *clock, race_stamp access, unsigned thread,
                                   uintptr_t address)
{
    if (access.block == clock->block) {
        if (access.thread == thread || access.when < clock->barrier) return true;
        if (clock->lanes && (access.thread ^ thread) < CPU_WARP_LANES &&
            race_is_ordered_by_lanes(block, access, thread))
            return true;
    }
    return clock->acquired && race_is_acquired(block, access, thread, address);
}

#endif
