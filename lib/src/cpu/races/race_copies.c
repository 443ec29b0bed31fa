/* A thread's copies are in the order in which it began them, and so are its groups. */
#include "race_copies.h"

#include <stdlib.h>
#include <string.h>

void race_copies_free(race_copies *copies) { free(copies->copy); }

static race_stamp stamp_of(const race_copies_place *place, const race_copy *copy, bool is_done)
{
    return (race_stamp){.block = place->clock->block,
                        .when = place->clock->start[copy->thread],
                        .thread = (uint16_t)copy->thread,
                        .strength = is_done ? CPU_ACCESS_PLAIN : CPU_ACCESS_ASYNCHRONOUS,
                        .site = copy->site};
}

/* The part of a copy that lies in one page. */
static void stamp_page(const race_copies_place *place, race_stamp stamp, uintptr_t address, size_t bytes)
{
    race_page *page = race_shadow_fit(place->shadow, place->recent, address, bytes);
    if (!page) return;
    race_stamp *under_way = race_shadow_slot(page, RACE_PENDING_COPY);
    race_stamp *written = race_shadow_slot(page, RACE_PLAIN_WRITE);
    if (!under_way || !written) return;
    const unsigned shift = race_shadow_shift(page);
    const size_t first = (address % RACE_PAGE_BYTES) >> shift, end = first + (bytes >> shift);
    for (size_t i = first; i < end; i++) {
        if (stamp.strength == CPU_ACCESS_ASYNCHRONOUS) {
            under_way[i] = stamp;
            continue;
        }
        if (under_way[i].thread == stamp.thread && under_way[i].block == stamp.block) written[i] = stamp;
        under_way[i] = (race_stamp){.word = {0, 0}};
    }
}

static void stamp_bytes(const race_copies_place *place, const race_copy *copy, bool is_done)
{
    const race_stamp stamp = stamp_of(place, copy, is_done);
    for (size_t done = 0, part; done < copy->bytes; done += part) {
        const uintptr_t at = copy->address + done;
        const size_t left = RACE_PAGE_BYTES - at % RACE_PAGE_BYTES;
        part = copy->bytes - done < left ? copy->bytes - done : left;
        stamp_page(place, stamp, at, part);
    }
}

void race_copies_begin(race_copies *copies, const race_copies_place *place, const race_copy *copy)
{
    enum { FIRST = 1024 };
    if (copies->count == copies->capacity) {
        const size_t capacity = copies->capacity ? 2 * copies->capacity : FIRST;
        race_copy *larger = realloc(copies->copy, capacity * sizeof *larger);
        if (!larger) return;
        copies->copy = larger;
        copies->capacity = capacity;
    }
    if (copies->count == 0) memset(copies->groups, 0, sizeof copies->groups);
    race_copy *added = &copies->copy[copies->count++];
    *added = *copy;
    added->group = copies->groups[copy->thread];
    stamp_bytes(place, added, false);
}

void race_copies_pass(race_copies *copies, const race_copies_place *place, unsigned thread, unsigned fence)
{
    if (fence == CPU_FENCE_COMMIT) {
        copies->groups[thread]++;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < copies->count; i++) {
        const race_copy *copy = &copies->copy[i];
        if (copy->thread == thread && copy->group + (fence - CPU_FENCE_WAIT) < copies->groups[thread])
            stamp_bytes(place, copy, true);
        else
            copies->copy[kept++] = *copy;
    }
    copies->count = kept;
}
