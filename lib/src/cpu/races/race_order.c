/* What threads publish at an address is a list that only grows. A thread has acquired prefixes of such lists. */
#include "race_order.h"

#include "cpu/builtins/kernel_abi.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = RACE_THREADS, PLACES = 1024 };

typedef struct race_place race_place;

/* The first `count` records of a place. */
typedef struct prefix {
    race_place *place;
    size_t count;
} prefix;

typedef struct prefix_list {
    prefix *prefix;
    size_t count, capacity;
} prefix_list;

/* What a thread published: accesses of its block, and of its warp's lanes, with lower counts; its own to the place
 * itself, up to `self`; what it had acquired. */
typedef struct record {
    uint32_t block, before, warp, lane[CPU_WARP_LANES];
    uint32_t self;
    uint16_t thread;
    bool for_block; /* to the threads of the block alone */
    prefix_list acquired;
} record;

/* An address at which something was published. */
struct race_place {
    uintptr_t address;
    race_place *next;
    record *record;
    size_t count, capacity;
    size_t seen; /* while one search goes on: the records that it has looked at */
};

struct race_launch {
    pthread_mutex_t lock;
    bool any; /* something was published; read without the lock */
    race_place *place[PLACES];
};

struct race_block {
    race_clock clock;
    race_launch *launch;
    uint32_t now;
    unsigned threads;
    bool fenced;                   /* a thread came to a fence for other blocks since the barrier */
    uint32_t published;            /* a fence before a barrier: what has a lower count may be published */
    uint32_t fence[MOST_THREADS];  /* its own accesses with lower counts may be published */
    uint32_t behind[MOST_THREADS]; /* the block's, likewise */
    uint32_t inner[MOST_THREADS];  /* its own, to the block's threads alone */
    uint32_t knows[MOST_THREADS][CPU_WARP_LANES]; /* of the lanes of its warp */
    prefix_list acquired[MOST_THREADS];
};

/* ---- lists of prefixes ---- */

static void add_prefix(prefix_list *list, prefix added)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->prefix[i].place != added.place) continue;
        if (list->prefix[i].count < added.count) list->prefix[i].count = added.count;
        return;
    }
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 4;
        prefix *larger = realloc(list->prefix, capacity * sizeof *larger);
        if (!larger) return;
        list->prefix = larger;
        list->capacity = capacity;
    }
    list->prefix[list->count++] = added;
}

static void add_prefixes(prefix_list *list, const prefix_list *added)
{
    for (size_t i = 0; i < added->count; i++) add_prefix(list, added->prefix[i]);
}

/* ---- launches ---- */

race_launch *race_launch_create(void)
{
    race_launch *launch = calloc(1, sizeof *launch);
    if (launch) pthread_mutex_init(&launch->lock, NULL);
    return launch;
}

void race_launch_free(race_launch *launch)
{
    if (!launch) return;
    for (int i = 0; i < PLACES; i++)
        for (race_place *place = launch->place[i], *next; place; place = next) {
            next = place->next;
            for (size_t r = 0; r < place->count; r++) free(place->record[r].acquired.prefix);
            free(place->record);
            free(place);
        }
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}

static race_place **find_place(race_launch *launch, uintptr_t address)
{
    race_place **at = &launch->place[(address >> 2) % PLACES];
    while (*at && (*at)->address != address) at = &(*at)->next;
    return at;
}

static record *add_record(race_launch *launch, uintptr_t address)
{
    race_place **at = find_place(launch, address), *place = *at;
    if (!place) {
        place = *at = calloc(1, sizeof *place);
        if (!place) return NULL;
        place->address = address;
    }
    if (place->count == place->capacity) {
        const size_t capacity = place->capacity ? 2 * place->capacity : 4;
        record *larger = realloc(place->record, capacity * sizeof *larger);
        if (!larger) return NULL;
        place->record = larger;
        place->capacity = capacity;
    }
    record *added = &place->record[place->count++];
    *added = (record){0};
    return added;
}

/* ---- blocks ---- */

race_block *race_block_create(race_launch *launch)
{
    race_block *block = calloc(1, sizeof *block);
    if (block) block->launch = launch;
    return block;
}

void race_block_free(race_block *block)
{
    if (!block) return;
    for (int i = 0; i < MOST_THREADS; i++) free(block->acquired[i].prefix);
    free(block);
}

void race_begin(race_block *b, uint32_t number, unsigned threads)
{
    b->clock.block = number;
    b->threads = threads;
    b->clock.barrier = ++b->now;
    b->published = 0;
    b->fenced = b->clock.acquired = b->clock.lanes = false;
    for (unsigned t = 0; t < threads; t++) {
        b->clock.start[t] = b->now;
        b->fence[t] = b->behind[t] = b->inner[t] = 0;
        b->acquired[t].count = 0;
    }
}

void race_pass_barrier(race_block *b)
{
    b->clock.barrier = ++b->now;
    b->clock.lanes = false;
    if (b->fenced) b->published = b->now;
    b->fenced = false;
    for (unsigned t = 0; t < b->threads; t++) b->clock.start[t] = b->now;
    if (!b->clock.acquired) return;
    for (unsigned t = 1; t < b->threads; t++) add_prefixes(&b->acquired[0], &b->acquired[t]);
    for (unsigned t = 1; t < b->threads; t++) add_prefixes(&b->acquired[t], &b->acquired[0]);
}

void race_pass_warp(race_block *b, unsigned warp, uint32_t lanes)
{
    const unsigned base = warp * CPU_WARP_LANES;
    uint32_t all[CPU_WARP_LANES] = {0}, fence = 0, inner = 0;
    prefix_list acquired = {0};
    b->now++;
    b->clock.lanes = true;
    for (unsigned m = 0; m < CPU_WARP_LANES; m++) {
        if (!(lanes >> m & 1)) continue;
        for (unsigned l = 0; l < CPU_WARP_LANES; l++)
            if (b->knows[base + m][l] > all[l]) all[l] = b->knows[base + m][l];
        if (b->fence[base + m] > fence) fence = b->now;
        if (b->inner[base + m] > inner) inner = b->now;
        if (b->clock.acquired) add_prefixes(&acquired, &b->acquired[base + m]);
    }
    for (unsigned m = 0; m < CPU_WARP_LANES; m++)
        if (lanes >> m & 1) all[m] = b->now;
    for (unsigned m = 0; m < CPU_WARP_LANES; m++) {
        if (!(lanes >> m & 1)) continue;
        memcpy(b->knows[base + m], all, sizeof all);
        b->clock.start[base + m] = b->now;
        if (fence) b->fence[base + m] = b->now;
        if (fence) b->behind[base + m] = b->clock.barrier;
        if (inner) b->inner[base + m] = b->now;
        add_prefixes(&b->acquired[base + m], &acquired);
    }
    free(acquired.prefix);
}

void race_pass_fence(race_block *b, unsigned thread, bool for_block)
{
    b->clock.start[thread] = b->inner[thread] = ++b->now;
    if (for_block) return;
    b->fence[thread] = b->now;
    b->behind[thread] = b->clock.barrier;
    b->fenced = true;
}

/* Publishes the thread's own accesses up to its fence, and the block's with counts below `before`. */
static void publish(race_block *b, unsigned thread, uintptr_t address, uint32_t fence, uint32_t before, bool for_block)
{
    pthread_mutex_lock(&b->launch->lock);
    record *made = add_record(b->launch, address);
    if (made) {
        made->block = b->clock.block;
        made->before = before;
        made->warp = thread / CPU_WARP_LANES;
        made->self = b->clock.start[thread];
        made->thread = (uint16_t)thread;
        made->for_block = for_block;
        if (fence) memcpy(made->lane, b->knows[thread], sizeof made->lane);
        made->lane[thread % CPU_WARP_LANES] = fence;
        add_prefixes(&made->acquired, &b->acquired[thread]);
        __atomic_store_n(&b->launch->any, true, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&b->launch->lock);
}

void race_publish(race_block *b, unsigned thread, uintptr_t address, bool for_block)
{
    const uint32_t behind = b->behind[thread] > b->published ? b->behind[thread] : b->published;
    if (!for_block && (b->fence[thread] || behind)) publish(b, thread, address, b->fence[thread], behind, false);
    if (b->inner[thread] > (for_block ? 0 : b->fence[thread]))
        publish(b, thread, address, b->inner[thread], b->clock.barrier, true);
}

void race_acquire(race_block *b, unsigned thread, uintptr_t address)
{
    if (!__atomic_load_n(&b->launch->any, __ATOMIC_ACQUIRE)) return;
    pthread_mutex_lock(&b->launch->lock);
    race_place *place = *find_place(b->launch, address);
    if (place) add_prefix(&b->acquired[thread], (prefix){place, place->count});
    pthread_mutex_unlock(&b->launch->lock);
    if (place) b->clock.acquired = true;
}

const race_clock *race_clock_of(const race_block *b) { return &b->clock; }

/* ---- asking ---- */

/* An access to an address that a thread of the block `asking` has acquired from something. */
typedef struct question {
    const race_stamp *access;
    uintptr_t address;
    uint32_t asking;
} question;

static bool covers(const record *r, const race_place *place, const question *q)
{
    const race_stamp *access = q->access;
    if (r->block != access->block || (r->for_block && r->block != q->asking)) return false;
    if (access->when < r->before) return true;
    const bool is_plain = access->strength == CPU_ACCESS_PLAIN || access->strength == CPU_ACCESS_COPY;
    if (place->address == q->address && r->thread == access->thread && !is_plain && access->when <= r->self)
        return true;
    return r->warp == access->thread / CPU_WARP_LANES && access->when < r->lane[access->thread % CPU_WARP_LANES];
}

/* Looks through the records of a prefix, and puts the prefixes in them on the list. */
static bool search_prefix(prefix_list *search, size_t i, const question *q)
{
    race_place *place = search->prefix[i].place;
    while (place->seen < search->prefix[i].count) {
        const record *r = &place->record[place->seen++];
        if (covers(r, place, q)) return true;
        add_prefixes(search, &r->acquired);
    }
    return false;
}

/* A prefix on the list may grow after its turn, so that the search begins again as long as it finds more. */
static bool is_acquired(const prefix_list *acquired, const question *q)
{
    bool found = false, again = true;
    prefix_list search = {0};
    add_prefixes(&search, acquired);
    while (again && !found) {
        again = false;
        for (size_t i = 0; i < search.count && !found; i++) {
            again = again || search.prefix[i].place->seen < search.prefix[i].count;
            found = search_prefix(&search, i, q);
        }
    }
    for (size_t i = 0; i < search.count; i++) search.prefix[i].place->seen = 0;
    free(search.prefix);
    return found;
}

bool race_is_ordered_by_lanes(const race_block *b, race_stamp access, unsigned thread)
{
    return access.when < b->knows[thread][access.thread % CPU_WARP_LANES];
}

bool race_is_acquired(race_block *b, race_stamp access, unsigned thread, uintptr_t address)
{
    if (b->acquired[thread].count == 0) return false;
    pthread_mutex_lock(&b->launch->lock);
    const bool found = is_acquired(&b->acquired[thread], &(question){&access, address, b->clock.block});
    pthread_mutex_unlock(&b->launch->lock);
    return found;
}
