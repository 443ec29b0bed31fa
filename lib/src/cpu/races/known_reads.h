/*
 * The reads from which racecheck learns nothing (cpu_known_read): when a read becomes one of them, and when none is
 * any more. Such a read races with nothing, and the two that its bytes remember stay. Knows the stamps of race_order.h.
 */
#ifndef LAB_CPU_RACES_KNOWN_READS_H
#define LAB_CPU_RACES_KNOWN_READS_H

#include "cpu/builtins/race_abi.h"
#include "race_shadow.h"

enum { KNOWN_READS_NO_EPOCH = -1 };

/* Forgets the reads of a word. */
static inline void known_reads_forget_word(cpu_known_accesses *reads, uintptr_t word)
{
    cpu_known_read *own = &reads->cell[cpu_known_read_place(word)];
    cpu_known_read *pair = &reads->cell[cpu_known_read_place(word & ~(uintptr_t)7)];
    if ((own->key & ~(uintptr_t)1) == word) own->key = 0;
    if (pair->key == (word & ~(uintptr_t)7) + 1) pair->key = 0;
}

static inline void known_reads_forget(cpu_known_accesses *reads, uintptr_t address, size_t bytes)
{
    if (!reads->has_cells) return;
    for (uintptr_t word = address & ~(uintptr_t)3; word < address + bytes; word += 4)
        known_reads_forget_word(reads, word);
}

/* Whether a write is ordered with every thread of the block. */
static inline bool known_reads_all_follow(const race_stamp *write, const race_clock *clock, bool shared)
{
    if (write->when == 0) return true;
    return write->block == clock->block ? write->when < clock->barrier : shared;
}

/* Whether a read is ordered with no other thread of the block. A stamp that is as old as its thread's last
 * synchronisation is not older than what any other thread knows of that. */
static inline bool known_reads_none_follows(const race_stamp *read, const race_clock *clock)
{
    return read->when && (read->block != clock->block || read->when == clock->start[read->thread]);
}

/* Threads of a block, from one to before another. */
typedef struct known_readers {
    unsigned begin, end;
} known_readers;

/* The threads behind the one that made a read. */
static inline unsigned known_reads_behind(const race_stamp *read, const race_clock *clock)
{
    return read->block == clock->block ? read->thread + 1u : 0;
}

/* The threads whose next reads of the bytes with number `i` of the page tell nothing new: if none of the two readers
 * that are remembered changes, those behind both, as threads mostly run in their order. */
static inline known_readers known_reads_judge(const race_page *page, size_t i, const race_clock *clock, bool shared)
{
    static const known_readers none = {0, 0};
    const race_stamp *first = race_shadow_stamps(page, RACE_PLAIN_READ);
    const race_stamp *other = race_shadow_stamps(page, RACE_OTHER_READ);
    if (!first || !other) return none;
    const race_stamp one = race_stamp_read(&first[i]), two = race_stamp_read(&other[i]);
    if (!known_reads_none_follows(&one, clock) || !known_reads_none_follows(&two, clock)) return none;
    for (race_slot slot = RACE_PLAIN_WRITE; slot <= RACE_STRONG_WRITE; slot++) {
        const race_stamp *writes = race_shadow_stamps(page, slot);
        if (!writes) continue;
        const race_stamp write = race_stamp_read(&writes[i]);
        if (!known_reads_all_follow(&write, clock, shared)) return none;
    }
    const unsigned behind_one = known_reads_behind(&one, clock), behind_two = known_reads_behind(&two, clock);
    known_readers found = {behind_one > behind_two ? behind_one : behind_two, RACE_THREADS};
    const unsigned warp = one.thread / CPU_WARP_LANES;
    if (one.block != two.block || warp != two.thread / CPU_WARP_LANES) return found;
    if (one.block != clock->block) return none; /* a reader of another warp would be remembered */
    found.end = (warp + 1) * CPU_WARP_LANES;
    return found;
}

/* Whether some reads of 4 or 8 bytes, which a page remembers from number `i` on, tell nothing new from now on. The cell
 * then says whose. */
static inline bool known_reads_find(cpu_known_read *cell, const cpu_known_accesses *reads, uintptr_t address,
                                    size_t bytes, const race_page *page, size_t i, const race_clock *clock, bool shared)
{
    if (clock->acquired || race_shadow_shift(page) != 2) return false;
    known_readers whose = known_reads_judge(page, i, clock, shared);
    if (bytes == 8) {
        const known_readers next = known_reads_judge(page, i + 1, clock, shared);
        if (next.begin > whose.begin) whose.begin = next.begin;
        if (next.end < whose.end) whose.end = next.end;
    }
    if (whose.begin >= whose.end) return false;
    *cell = (cpu_known_read){.key = address + (bytes == 8),
                             .epoch = reads->epoch,
                             .first = (unsigned short)whose.begin,
                             .count = (unsigned short)(whose.end - whose.begin)};
    return true;
}

static inline void known_reads_add(cpu_known_accesses *reads, uintptr_t address, const cpu_known_read *cell)
{
    reads->cell[cpu_known_read_place(address)] = *cell;
    reads->has_cells = true;
}

#endif
