/*
 * The accesses that each byte of memory remembers: writes and reads. Made for pages as they are used. Threads of
 * the host may use one shadow at the same time, a page each. Independent of what orders accesses.
 */
#ifndef LAB_CPU_CHECKS_RACE_SHADOW_H
#define LAB_CPU_CHECKS_RACE_SHADOW_H

#include "race_order.h"

#include <stddef.h>

typedef struct race_shadow race_shadow;

typedef enum race_slot {
    RACE_PLAIN_WRITE,
    RACE_STRONG_WRITE, /* atomic or volatile */
    RACE_STRONG_READ,
    RACE_PLAIN_READ,
    RACE_OTHER_READ, /* by a thread of another warp, where that is possible */
    RACE_SLOTS
} race_slot;

enum { RACE_PAGE_BYTES = 4096, RACE_RECENT = 64 };

/* A page that is held. Its stamps stand for `grain` bytes each; a slot that nothing has used is NULL. */
typedef struct race_page {
    race_stamp *slot[RACE_SLOTS];
    unsigned grain;
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

/* Holds the page with the address. Its grain then divides the address and the number of bytes. NULL when memory runs
 * out. */
race_page *race_shadow_hold(race_shadow *shadow, race_recent *recent, uintptr_t address, size_t bytes);
void race_shadow_leave(race_page *page);

/* The stamps of a slot, which is made if nothing has used it. NULL when memory runs out. */
race_stamp *race_shadow_slot(race_page *page, int slot);

#endif
