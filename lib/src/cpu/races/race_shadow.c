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
    _Alignas(64) race_page public;  /* first, since a page is freed by this address */
    race_stamp *coarse[RACE_SLOTS]; /* of a page that has been refined: others may still read them */
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
            for (int s = 0; s < RACE_SLOTS; s++) free_stamps(page->coarse[s], COARSE);
            free(page);
        }
    pthread_mutex_destroy(&shadow->lock);
    free(shadow);
}

static shadow_page *make_page(uintptr_t number)
{
    shadow_page *page = aligned_alloc(_Alignof(shadow_page), sizeof *page);
    if (page) *page = (shadow_page){.number = number, .public.shift = COARSE};
    return page;
}

race_page *race_shadow_find(race_shadow *shadow, uintptr_t number)
{
    pthread_mutex_lock(&shadow->lock);
    shadow_page **at = &shadow->bucket[number % BUCKETS];
    while (*at && (*at)->number != number) at = &(*at)->next;
    if (!*at) *at = make_page(number);
    race_page *found = *at ? &(*at)->public : NULL;
    pthread_mutex_unlock(&shadow->lock);
    return found;
}

/* Makes every byte of a page remember its own accesses. Its parts are held. */
static bool refine(shadow_page *page)
{
    race_page *public = &page->public;
    race_stamp *fine[RACE_SLOTS] = {0};
    for (int s = 0; s < RACE_SLOTS; s++) {
        if (!public->slot[s]) continue;
        fine[s] = malloc(stamps_bytes(0));
        if (!fine[s]) {
            while (s > 0) free(fine[--s]);
            return false;
        }
        for (int i = 0; i < RACE_PAGE_BYTES; i++) fine[s][i] = public->slot[s][i >> COARSE];
    }
    for (int s = 0; s < RACE_SLOTS; s++) {
        page->coarse[s] = public->slot[s];
        __atomic_store_n(&public->slot[s], fine[s], __ATOMIC_RELEASE);
    }
    __atomic_store_n(&public->shift, 0, __ATOMIC_RELEASE);
    return true;
}

bool race_shadow_refine(race_page *page)
{
    for (int p = 0; p < RACE_PARTS; p++)
        if (!race_part_try(&page->part[p])) race_shadow_wait(&page->part[p]);
    const bool done = page->shift == 0 || refine((shadow_page *)page);
    for (int p = 0; p < RACE_PARTS; p++) race_part_leave(&page->part[p]);
    return done;
}

/* The thread that holds it may have no processor. */
void race_shadow_wait(race_part *part)
{
    enum { FEW = 64 };
    for (int tries = 0; !race_part_try(part); tries++)
        if (tries >= FEW) sched_yield();
}

/* A thread that holds another part of the page may do the same at the same time. */
race_stamp *race_shadow_add(race_page *page, race_slot slot)
{
    race_stamp *made = make_stamps(page->shift), *other = NULL;
    if (!made ||
        __atomic_compare_exchange_n(&page->slot[slot], &other, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    free_stamps(made, page->shift);
    return other;
}
