/*
 * An access as racecheck compares it with those that a byte remembers, and what two of them are to each other. Knows
 * CUDA's rules for atomic and volatile accesses; independent of what orders two accesses.
 */
#ifndef LAB_CPU_CHECKS_RACE_ATTEMPT_H
#define LAB_CPU_CHECKS_RACE_ATTEMPT_H

#include <stdbool.h>

#include "cpu/races/race_shadow.h"

#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))

/* Whether an access orders others, or may: in shared memory a volatile one does not. */
static inline bool is_strong(unsigned strength, bool shared)
{
    return strength == CPU_ACCESS_ATOMIC || strength == CPU_ACCESS_BLOCK_ATOMIC ||
           (strength == CPU_ACCESS_VOLATILE && !shared);
}

/* Its parts stay in registers: a stamp that is written in parts and then copied as a whole makes the processor wait. */
typedef struct attempt {
    uint64_t word[2]; /* its stamp */
    uint32_t block;
    unsigned thread;
    cpu_strength strength;
    uintptr_t address;
    bool writes, strong, shared;
} attempt;

INLINE bool is_plain_read(const attempt *a) { return !a->writes && !a->strong && a->strength != CPU_ACCESS_READ_ONLY; }

INLINE void set(race_stamp *stamp, const attempt *a) { race_stamp_write(stamp, a->word[0], a->word[1]); }

/* Whether a thread of a block is in the warp that made an access. */
INLINE bool same_warp(race_stamp stamp, uint32_t block, unsigned thread)
{
    return stamp.block == block && stamp.thread / CPU_WARP_LANES == thread / CPU_WARP_LANES;
}

/* Whether two accesses, each of them atomic or volatile, may meet. */
INLINE bool may_meet(race_stamp stamp, const attempt *a)
{
    const cpu_strength own = a->strength, other = stamp.strength;
    const bool in_block = stamp.block == a->block;
    const bool own_is_atomic = own == CPU_ACCESS_ATOMIC || (own == CPU_ACCESS_BLOCK_ATOMIC && in_block);
    const bool other_is_atomic = other == CPU_ACCESS_ATOMIC || (other == CPU_ACCESS_BLOCK_ATOMIC && in_block);
    if (own == CPU_ACCESS_VOLATILE && other == CPU_ACCESS_VOLATILE) return !same_warp(stamp, a->block, a->thread);
    return (own_is_atomic || own == CPU_ACCESS_VOLATILE) && (other_is_atomic || other == CPU_ACCESS_VOLATILE);
}

#endif
