/* Pages are found by their number in a hash table that only grows. A page's grain is four bytes until an access needs a
 * finer one. */
#include "race_shadow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, COARSE = 4 };

typedef struct shadow_page {
    race_page public; /* first, since a page is freed by this address */
    uintptr_t number;
    struct shadow_page *next;
} shadow_page;

struct race_shadow {
    pthread_mutex_t lock;
    shadow_page *bucket[BUCKETS];
};

race_shadow *race_shadow_create(void)
{
    race_shadow *shadow = calloc(1, sizeof *shadow);
    if (shadow) pthread_mutex_init(&shadow->lock, NULL);
    return shadow;
}

void race_shadow_free(race_shadow *shadow)
{
    if (!shadow) return;
    for (int i = 0; i < BUCKETS; i++)
        for (shadow_page *page = shadow->bucket[i], *next; page; page = next) {
            next = page->next;
            for (int s = 0; s < RACE_SLOTS; s++) free(page->public.slot[s]);
            free(page);
        }
    pthread_mutex_destroy(&shadow->lock);
    free(shadow);
}

static race_page *find(race_shadow *shadow, uintptr_t number)
{
    pthread_mutex_lock(&shadow->lock);
    shadow_page **at = &shadow->bucket[number % BUCKETS];
    while (*at && (*at)->number != number) at = &(*at)->next;
    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->number = number;
        (*at)->public.grain = COARSE;
    }
    race_page *found = *at ? &(*at)->public : NULL;
    pthread_mutex_unlock(&shadow->lock);
    return found;
}

/* Makes every byte of a page remember its own accesses. */
static bool refine(race_page *page)
{
    race_stamp *fine[RACE_SLOTS] = {0};
    for (int s = 0; s < RACE_SLOTS; s++) {
        if (!page->slot[s]) continue;
        fine[s] = malloc(RACE_PAGE_BYTES * sizeof *fine[s]);
        if (!fine[s]) {
            while (s > 0) free(fine[--s]);
            return false;
        }
        for (int i = 0; i < RACE_PAGE_BYTES; i++) fine[s][i] = page->slot[s][i / COARSE];
    }
    for (int s = 0; s < RACE_SLOTS; s++) free(page->slot[s]);
    memcpy(page->slot, fine, sizeof fine);
    page->grain = 1;
    return true;
}

race_page *race_shadow_hold(race_shadow *shadow, race_recent *recent, uintptr_t address, size_t bytes)
{
    const uintptr_t number = address / RACE_PAGE_BYTES;
    const size_t place = number % RACE_RECENT;
    if (!recent->page[place] || recent->number[place] != number) {
        recent->page[place] = find(shadow, number);
        recent->number[place] = number;
    }
    race_page *page = recent->page[place];
    if (!page) return NULL;
    while (__atomic_exchange_n(&page->is_held, 1, __ATOMIC_ACQUIRE)) {}
    if (page->grain == 1 || (address | bytes) % COARSE == 0 || refine(page)) return page;
    race_shadow_leave(page);
    return NULL;
}

void race_shadow_leave(race_page *page) { __atomic_store_n(&page->is_held, 0, __ATOMIC_RELEASE); }

race_stamp *race_shadow_slot(race_page *page, int slot)
{
    if (!page->slot[slot]) page->slot[slot] = calloc(RACE_PAGE_BYTES / page->grain, sizeof *page->slot[slot]);
    return page->slot[slot];
}
