/*
 * The accesses that each byte of memory remembers: writes and reads. Made for pages as they are used. Threads of
 * the host may use one shadow at the same time, a page each, if they hold it. Independent of what orders accesses.
 */
#ifndef LAB_CPU_RACES_RACE_SHADOW_H
#define LAB_CPU_RACES_RACE_SHADOW_H

#include <stdbool.h>

#include "race_order.h"

#include <stddef.h>

typedef struct race_shadow race_shadow;

typedef enum race_slot {
    RACE_PLAIN_WRITE,
    RACE_STRONG_WRITE, /* atomic or volatile */
    RACE_PENDING_COPY, /* an asynchronous copy that its thread has not waited for */
    RACE_STRONG_READ,
    RACE_PLAIN_READ,
    RACE_OTHER_READ, /* by a thread of another warp, where that is possible */
    RACE_SLOTS
} race_slot;

enum {
    RACE_PAGE_BYTES = 4096,
    RACE_PART_BYTES = 128,
    RACE_PARTS = RACE_PAGE_BYTES / RACE_PART_BYTES,
    RACE_RECENT = 1024
};

/* The lock of a part of a page: an odd version while the part is held. Few parts share a line of the cache: blocks that
 * use neighbouring memory do not wait for each other. */
typedef struct race_part {
    _Alignas(16) unsigned version;
} race_part;

/* A page whose parts are held one by one. Its stamps stand for 1 << shift bytes each; a slot that nothing has used is
 * NULL. The slots and the shift are read by threads that hold nothing. */
typedef struct race_page {
    race_part part[RACE_PARTS];
    race_stamp *slot[RACE_SLOTS];
    unsigned shift;
} race_page;

/* The pages that a thread of the host used last. */
typedef struct race_recent {
    struct {
        uintptr_t number;
        race_page *page;
    } place[RACE_RECENT];
} race_recent;

/* NULL when memory runs out. */
race_shadow *race_shadow_create(void);
void race_shadow_free(race_shadow *shadow);

/* What the functions below stand on: the page with that number, made if it is new; the finest stamps for the page,
 * whose parts the caller does not hold; the stamps of a slot that nothing has used; waiting for a part that another
 * thread holds. NULL or false when memory runs out. */
race_page *race_shadow_find(race_shadow *shadow, uintptr_t number);
bool race_shadow_refine(race_page *page);
race_stamp *race_shadow_add(race_page *page, race_slot slot);
void race_shadow_wait(race_part *part);

/* The page with the address. */
static inline race_page *race_shadow_page(race_shadow *shadow, race_recent *recent, uintptr_t address)
{
    const uintptr_t number = address / RACE_PAGE_BYTES;
    const size_t place = number % RACE_RECENT;
    if (!recent->place[place].page || recent->place[place].number != number) {
        recent->place[place].page = race_shadow_find(shadow, number);
        recent->place[place].number = number;
    }
    return recent->place[place].page;
}

static inline unsigned race_shadow_shift(const race_page *page)
{
    return __atomic_load_n(&page->shift, __ATOMIC_ACQUIRE);
}

/* Whether the page's stamps begin and end where the bytes do. */
static inline bool race_shadow_fits(const race_page *page, uintptr_t address, size_t bytes)
{
    return ((address | bytes) & ((1u << race_shadow_shift(page)) - 1)) == 0;
}

/* The page with the address, whose stamps begin and end where the bytes do. NULL when memory runs out. The caller holds
 * none of its parts. */
static inline race_page *race_shadow_fit(race_shadow *shadow, race_recent *recent, uintptr_t address, size_t bytes)
{
    race_page *page = race_shadow_page(shadow, recent, address);
    return page && (race_shadow_fits(page, address, bytes) || race_shadow_refine(page)) ? page : NULL;
}

/* The stamps of a slot; NULL if nothing has used it. */
static inline race_stamp *race_shadow_stamps(const race_page *page, race_slot slot)
{
    return __atomic_load_n(&page->slot[slot], __ATOMIC_ACQUIRE);
}

/* The stamps of a slot, which is made if nothing has used it. NULL when memory runs out. */
static inline race_stamp *race_shadow_slot(race_page *page, race_slot slot)
{
    race_stamp *stamps = race_shadow_stamps(page, slot);
    return stamps ? stamps : race_shadow_add(page, slot);
}

/* ---- parts ---- */

static inline race_part *race_shadow_part(race_page *page, uintptr_t address)
{
    return &page->part[address % RACE_PAGE_BYTES / RACE_PART_BYTES];
}

static inline bool race_part_try(race_part *part)
{
    unsigned version = __atomic_load_n(&part->version, __ATOMIC_RELAXED);
    return version % 2 == 0 && __atomic_compare_exchange_n(&part->version, &version, version + 1, false,
                                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static inline void race_part_leave(race_part *part)
{
    const unsigned version = __atomic_load_n(&part->version, __ATOMIC_RELAXED);
    __atomic_store_n(&part->version, version + 1, __ATOMIC_RELEASE);
}

/* Reads stamps of a part without holding it: what was read is as it was at one moment if the version is even, and the
 * same afterwards. */
static inline unsigned race_part_version(const race_part *part)
{
    return __atomic_load_n(&part->version, __ATOMIC_ACQUIRE);
}

/* Leaves the parts with the bytes, which lie in one page. */
static inline void race_shadow_leave(race_page *page, uintptr_t address, size_t bytes)
{
    race_part *last = race_shadow_part(page, address + bytes - 1);
    for (race_part *part = race_shadow_part(page, address); part <= last; part++) race_part_leave(part);
}

/* Holds the parts with the bytes, which race_shadow_leave ends. The page's stamps then begin and end where the bytes
 * do. NULL when memory runs out. */
static inline race_page *race_shadow_hold(race_shadow *shadow, race_recent *recent, uintptr_t address, size_t bytes)
{
    race_page *page = race_shadow_fit(shadow, recent, address, bytes);
    if (!page) return NULL;
    race_part *last = race_shadow_part(page, address + bytes - 1);
    for (race_part *part = race_shadow_part(page, address); part <= last; part++)
        if (!race_part_try(part)) race_shadow_wait(part);
    return page;
}

/* ---- stamps, which others may read meanwhile ---- */

static inline race_stamp race_stamp_read(const race_stamp *stamp)
{
    return (race_stamp){.word = {__atomic_load_n(&stamp->word[0], __ATOMIC_ACQUIRE),
                                 __atomic_load_n(&stamp->word[1], __ATOMIC_ACQUIRE)}};
}

static inline void race_stamp_write(race_stamp *stamp, uint64_t first, uint64_t second)
{
    __atomic_store_n(&stamp->word[0], first, __ATOMIC_RELEASE);
    __atomic_store_n(&stamp->word[1], second, __ATOMIC_RELEASE);
}

#endif
