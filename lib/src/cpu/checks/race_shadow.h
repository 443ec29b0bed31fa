/*
 * The accesses that each byte of memory remembers: writes and reads. Made for pages as they are used. Threads of
 * the host may use one shadow at the same time, a page each, if they hold it. Independent of what orders accesses.
 */
#ifndef LAB_CPU_CHECKS_RACE_SHADOW_H
#define LAB_CPU_CHECKS_RACE_SHADOW_H

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

enum { RACE_PAGE_BYTES = 4096, RACE_RECENT = 1024 };

/* A page that is held. Its stamps stand for 1 << shift bytes each; a slot that nothing has used is NULL. */
typedef struct race_page {
    race_stamp *slot[RACE_SLOTS];
    unsigned shift;
    int is_held;
} race_page;

/* The pages that a thread of the host used last. */
typedef struct race_recent {
    uintptr_t number[RACE_RECENT];
    race_page *page[RACE_RECENT];
} race_recent;

/* NULL when memory runs out. */
race_shadow *race_shadow_create(void);
void race_shadow_free(race_shadow *shadow);

/* What the functions below stand on: the page with that number, made if it is new; the finest stamps for the page; the
 * stamps of a slot that nothing has used; waiting for a page that another thread holds. NULL or false when memory runs
 * out. */
race_page *race_shadow_find(race_shadow *shadow, uintptr_t number);
bool race_shadow_refine(race_page *page);
race_stamp *race_shadow_add(race_page *page, race_slot slot);
void race_shadow_wait(race_page *page);

/* The page with the address. */
static inline race_page *race_shadow_page(race_shadow *shadow, race_recent *recent, uintptr_t address)
{
    const uintptr_t number = address / RACE_PAGE_BYTES;
    const size_t place = number % RACE_RECENT;
    if (!recent->page[place] || recent->number[place] != number) {
        recent->page[place] = race_shadow_find(shadow, number);
        recent->number[place] = number;
    }
    return recent->page[place];
}

/* Makes the page's stamps begin and end where the bytes do. */
static inline bool race_shadow_fit(race_page *page, uintptr_t address, size_t bytes)
{
    return ((address | bytes) & ((1u << page->shift) - 1)) == 0 || race_shadow_refine(page);
}

/* Holds the page with the address, which race_shadow_leave ends. Its stamps then begin and end where the bytes do. NULL
 * when memory runs out. */
static inline race_page *race_shadow_hold(race_shadow *shadow, race_recent *recent, uintptr_t address, size_t bytes)
{
    race_page *page = race_shadow_page(shadow, recent, address);
    if (!page) return NULL;
    if (__atomic_exchange_n(&page->is_held, 1, __ATOMIC_ACQUIRE)) race_shadow_wait(page);
    if (race_shadow_fit(page, address, bytes)) return page;
    __atomic_store_n(&page->is_held, 0, __ATOMIC_RELEASE);
    return NULL;
}

static inline void race_shadow_leave(race_page *page) { __atomic_store_n(&page->is_held, 0, __ATOMIC_RELEASE); }

/* The stamps of a slot, which is made if nothing has used it. NULL when memory runs out. */
static inline race_stamp *race_shadow_slot(race_page *page, race_slot slot)
{
    return page->slot[slot] ? page->slot[slot] : race_shadow_add(page, slot);
}

#endif
