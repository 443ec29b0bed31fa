/*
 * The reads from which racecheck learns nothing (cpu_known_reads): when a read becomes one of them, and when none is
 * any more. Such a read races with nothing, and the two that its bytes remember stay. Knows the stamps of race_order.h.
 */
#ifndef LAB_CPU_CHECKS_KNOWN_READS_H
#define LAB_CPU_CHECKS_KNOWN_READS_H

#include "cpu/builtins/kernel_abi.h"
#include "race_shadow.h"

enum { KNOWN_READS_NO_EPOCH = -1 };

/* Forgets the reads of a word. */
static inline void known_reads_forget_word(cpu_known_reads *reads, uintptr_t word)
{
    cpu_known_read *own = &reads->cell[cpu_known_read_place(word)];
    cpu_known_read *pair = &reads->cell[cpu_known_read_place(word & ~(uintptr_t)7)];
    if ((own->key & ~(uintptr_t)1) == word) own->key = 0;
    if (pair->key == (word & ~(uintptr_t)7) + 1) pair->key = 0;
}

static inline void known_reads_forget(cpu_known_reads *reads, uintptr_t address, size_t bytes)
{
    for (uintptr_t word = address & ~(uintptr_t)3; word < address + bytes; word += 4)
        known_reads_forget_word(reads, word);
}

/* Whether a write is ordered with every thread of the block. */
static inline bool known_reads_all_follow(const race_stamp *write, const race_clock *clock, bool shared)
{
    if (write->when == 0) return true;
    return write->block == clock->block ? write->when < clock->barrier : shared;
}

/* Whether a read is ordered with no other thread of the block; then *thread is the one that made it. A stamp that is as
 * old as its thread's last synchronisation is not older than what any other thread knows of that. */
static inline bool known_reads_none_follows(unsigned short *thread, const race_stamp *read, const race_clock *clock)
{
    *thread = read->block == clock->block ? read->thread : CPU_NO_THREAD;
    return read->when && (read->block != clock->block || read->when == clock->start[read->thread]);
}

/* Whether the next reads of the bytes with number `i` of the page tell nothing new. The cell then says whose do. */
static inline bool known_reads_judge(cpu_known_read *cell, const race_page *page, size_t i, const race_clock *clock,
                                     bool shared)
{
    const race_stamp *first = page->slot[RACE_PLAIN_READ], *other = page->slot[RACE_OTHER_READ];
    for (race_slot slot = RACE_PLAIN_WRITE; slot <= RACE_STRONG_WRITE; slot++)
        if (page->slot[slot] && !known_reads_all_follow(&page->slot[slot][i], clock, shared)) return false;
    if (!first || !other || !known_reads_none_follows(&cell->first, &first[i], clock) ||
        !known_reads_none_follows(&cell->other, &other[i], clock))
        return false;
    if (first[i].block == other[i].block && first[i].thread / CPU_WARP_LANES == other[i].thread / CPU_WARP_LANES) {
        if (first[i].block != clock->block) return false;
        cell->other |= CPU_SAME_WARP;
    }
    return true;
}

/* A thread has read 4 or 8 bytes, which a page remembers from number `i` on. */
static inline void known_reads_note(cpu_known_reads *reads, uintptr_t address, size_t bytes, const race_page *page,
                                    size_t i, const race_clock *clock, bool shared)
{
    cpu_known_read made, next;
    if (clock->acquired || page->shift != 2 || !known_reads_judge(&made, page, i, clock, shared)) return;
    if (bytes == 8 &&
        (!known_reads_judge(&next, page, i + 1, clock, shared) || next.first != made.first || next.other != made.other))
        return;
    made.key = address + (bytes == 8);
    made.epoch = reads->epoch;
    reads->cell[cpu_known_read_place(address)] = made;
}

#endif
