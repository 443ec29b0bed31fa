/* Pages are found by their number in a hash table that only grows. A page has a stamp for four bytes until an access
 * needs a finer one. */
#include "race_shadow.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, COARSE = 2, /* a shift */ SPARES = 4096 };

/* Stamps of earlier shadows for coarse pages: the system's memory costs more time than the accesses. */
static struct {
    pthread_mutex_t lock;
    race_stamp *stamps[SPARES];
    unsigned count;
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct shadow_page {
    race_page public; /* first, since a page is freed by this address */
    uintptr_t number;
    struct shadow_page *next;
} shadow_page;

struct race_shadow {
    pthread_mutex_t lock;
    shadow_page *bucket[BUCKETS];
};

static size_t stamps_bytes(unsigned shift) { return ((size_t)RACE_PAGE_BYTES >> shift) * sizeof(race_stamp); }

static race_stamp *make_stamps(unsigned shift)
{
    race_stamp *stamps = NULL;
    pthread_mutex_lock(&spare.lock);
    if (shift == COARSE && spare.count > 0) stamps = spare.stamps[--spare.count];
    pthread_mutex_unlock(&spare.lock);
    if (!stamps) return calloc(1, stamps_bytes(shift));
    memset(stamps, 0, stamps_bytes(shift));
    return stamps;
}

static void free_stamps(race_stamp *stamps, unsigned shift)
{
    if (!stamps) return;
    pthread_mutex_lock(&spare.lock);
    const bool keeps = shift == COARSE && spare.count < SPARES;
    if (keeps) spare.stamps[spare.count++] = stamps;
    pthread_mutex_unlock(&spare.lock);
    if (!keeps) free(stamps);
}

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
            for (int s = 0; s < RACE_SLOTS; s++) free_stamps(page->public.slot[s], page->public.shift);
            free(page);
        }
    pthread_mutex_destroy(&shadow->lock);
    free(shadow);
}

race_page *race_shadow_find(race_shadow *shadow, uintptr_t number)
{
    pthread_mutex_lock(&shadow->lock);
    shadow_page **at = &shadow->bucket[number % BUCKETS];
    while (*at && (*at)->number != number) at = &(*at)->next;
    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->number = number;
        (*at)->public.shift = COARSE;
    }
    race_page *found = *at ? &(*at)->public : NULL;
    pthread_mutex_unlock(&shadow->lock);
    return found;
}

/* Makes every byte of a page remember its own accesses. */
bool race_shadow_refine(race_page *page)
{
    race_stamp *fine[RACE_SLOTS] = {0};
    for (int s = 0; s < RACE_SLOTS; s++) {
        if (!page->slot[s]) continue;
        fine[s] = malloc(stamps_bytes(0));
        if (!fine[s]) {
            while (s > 0) free(fine[--s]);
            return false;
        }
        for (int i = 0; i < RACE_PAGE_BYTES; i++) fine[s][i] = page->slot[s][i >> COARSE];
    }
    for (int s = 0; s < RACE_SLOTS; s++) free_stamps(page->slot[s], COARSE);
    memcpy(page->slot, fine, sizeof fine);
    page->shift = 0;
    return true;
}

/* The thread that holds it may have no processor. */
void race_shadow_wait(race_page *page)
{
    enum { FEW = 64 };
    for (int tries = 0; __atomic_exchange_n(&page->is_held, 1, __ATOMIC_ACQUIRE); tries++)
        if (tries >= FEW) sched_yield();
}

race_stamp *race_shadow_add(race_page *page, race_slot slot) { return page->slot[slot] = make_stamps(page->shift); }
