/* A write that meets another is judged when its value is known: before the same thread of the host does anything else
 * that is checked. It is not judged if the other's value may not be known yet. */
#include "racecheck.h"

#include "cpu/kernel/kernel_blocks.h"
#include "cpu/kernel/warp.h"
#include "cpu/races/known_reads.h"
#include "cpu/races/race_copies.h"
#include "cpu/races/race_words.h"
#include "late_reads.h"
#include "race_attempt.h"
#include "race_report.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPARED = 64 };

struct racecheck_launch {
    race_launch *order;
    race_shadow *shadow; /* of memory that blocks share */
    pthread_mutex_t lock;
    racecheck *made; /* a list; a run of blocks takes one that another has left */
    bool is_known;   /* whether the arrays are known */
    read_arrays only_read;
    atomic_bool is_wrong; /* whether a block has written to them */
};

struct racecheck {
    racecheck_launch *launch;
    racecheck *next;
    bool is_used;
    race_block *order;
    const race_clock *clock; /* the same */
    race_shadow *shared;     /* of the blocks' own memory */
    race_recent recent;
    race_scene scene;
    race_conflict pending; /* two writes, of which the later is about to take place */
    unsigned char before[MOST_COMPARED];
    unsigned epoch; /* of known reads, unless a write is about to take place */
    race_words words;
    race_copies copies;
    bool waits;    /* whether reads may be written down at all */
    bool may_wait; /* whether reads of the block may be written down, instead of being compared at once */
    read_runs runs;
    cpu_known_accesses known;
};

/* ---- making ---- */

racecheck_launch *racecheck_launch_create(void)
{
    racecheck_launch *launch = calloc(1, sizeof *launch);
    if (!launch) return NULL;
    pthread_mutex_init(&launch->lock, NULL);
    launch->order = race_launch_create();
    launch->shadow = race_shadow_create();
    if (launch->order && launch->shadow) return launch;
    racecheck_launch_free(launch);
    return NULL;
}

static void destroy(racecheck *c)
{
    if (!c) return;
    race_shadow_free(c->shared);
    race_block_free(c->order);
    race_words_free(&c->words);
    read_runs_free(&c->runs);
    race_copies_free(&c->copies);
    free(c);
}

void racecheck_launch_free(racecheck_launch *launch)
{
    if (!launch) return;
    for (racecheck *c = launch->made, *next; c; c = next) {
        next = c->next;
        destroy(c);
    }
    race_launch_free(launch->order);
    race_shadow_free(launch->shadow);
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}

static racecheck *make(racecheck_launch *launch)
{
    racecheck *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->launch = launch;
    c->order = race_block_create(launch->order);
    c->shared = race_shadow_create();
    if (c->order && c->shared) {
        c->clock = race_clock_of(c->order);
        race_words_make(&c->words, &c->known, c->shared, c->clock);
        read_runs_make(&c->runs, &c->known, &launch->only_read);
        return c;
    }
    destroy(c);
    return NULL;
}

racecheck *racecheck_create(racecheck_launch *launch, findings *found, const cpu_kernel *kernel,
                            const memcheck_scene *scene, const cpu_launch *shape, const void *const *args)
{
    pthread_mutex_lock(&launch->lock);
    if (!launch->is_known) late_reads_expect(&launch->only_read, kernel, args, scene->ledger_count);
    launch->is_known = true;
    racecheck *c = launch->made;
    while (c && c->is_used) c = c->next;
    if (!c && (c = make(launch))) {
        c->next = launch->made;
        launch->made = c;
    }
    if (c) c->is_used = true;
    pthread_mutex_unlock(&launch->lock);
    if (!c) return NULL;
    c->scene = (race_scene){.found = found, .kernel = kernel, .memory = *scene, .shape = shape};
    race_words_for(&c->words, kernel->code);
    return c;
}

/* With nothing pending: the block that ran last has ended, or its kernel has. */
void racecheck_free(racecheck *c)
{
    if (!c) return;
    c->pending.site = NULL;
    cpu_known_settle(&c->known);
    pthread_mutex_lock(&c->launch->lock);
    c->is_used = false;
    pthread_mutex_unlock(&c->launch->lock);
}

/* ---- sites: kept as distances from the module's code ---- */

static int32_t site_number(const racecheck *c, const cpu_site *site)
{
    return (int32_t)((intptr_t)site - (intptr_t)c->scene.kernel->code);
}

/* ---- pending writes ---- */

static size_t compared(size_t bytes) { return bytes < MOST_COMPARED ? bytes : MOST_COMPARED; }

/* Whether another thread of the host may be about to write there: what it writes cannot be compared yet. */
static bool is_in_flight(const racecheck *c, uintptr_t address, size_t bytes)
{
    bool found = false;
    pthread_mutex_lock(&c->launch->lock);
    for (racecheck *other = c->launch->made; other && !found; other = other->next) {
        const uintptr_t begin = __atomic_load_n(&other->known.in_flight, __ATOMIC_SEQ_CST);
        found = other != c && begin && begin < address + bytes && address < begin + MOST_COMPARED;
    }
    pthread_mutex_unlock(&c->launch->lock);
    return found;
}

/* The write that was pending has taken place. */
static __attribute__((noinline)) void judge_pending(racecheck *c)
{
    const race_conflict *two = &c->pending;
    if (memcmp(c->before, (const void *)two->address, compared(two->bytes)) != 0) race_report(&c->scene, two);
    c->pending.site = NULL;
    c->known.epoch = c->epoch;
    race_words_open(&c->words, c->words.keeps);
}

static inline void settle(racecheck *c)
{
    cpu_known_settle(&c->known);
    if (c->pending.site) judge_pending(c);
}

void racecheck_keep_words(racecheck *c, uintptr_t begin, size_t bytes) { race_words_keep(&c->words, begin, bytes); }

void racecheck_keep_reads(racecheck *c) { c->waits = c->launch->only_read.count > 0; }

/* Threads have synchronised: any read may tell something new. */
static void forget_reads(racecheck *c)
{
    c->known.epoch = ++c->epoch;
    c->known.has_cells = false;
}

/* ---- accesses ---- */

INLINE attempt make_attempt(const racecheck *c, unsigned thread, uintptr_t address, const cpu_site *site, bool writes,
                            bool strong, bool shared)
{
    const uint64_t when = c->clock->start[thread], strength = site->strength,
                   again = c->known.deepest[thread] > site->line;
    return (attempt){.word = {c->clock->block | when << 32,
                              thread | strength << 16 | again << 24 | (uint64_t)site_number(c, site) << 32},
                     .block = c->clock->block,
                     .thread = thread,
                     .strength = site->strength,
                     .address = address,
                     .writes = writes,
                     .strong = strong,
                     .shared = shared};
}

INLINE bool is_ordered(racecheck *c, race_stamp stamp, const attempt *a)
{
    return stamp.when == 0 || (a->shared && stamp.block != a->block) ||
           race_is_ordered(c->order, c->clock, stamp, a->thread, a->address);
}

/* Whether an access races with the one that a slot remembers, which is then put into *earlier. */
INLINE bool races_with(race_stamp *earlier, racecheck *c, const race_page *page, race_slot slot, size_t i,
                       const attempt *a)
{
    const race_stamp *stamps = race_shadow_stamps(page, slot);
    if (!stamps) return false;
    const race_stamp stamp = race_stamp_read(&stamps[i]);
    const bool both_are_strong = a->strong && (slot == RACE_STRONG_WRITE || slot == RACE_STRONG_READ);
    const bool no_order_helps = a->strength == CPU_ACCESS_READ_ONLY && !a->shared;
    if (stamp.when == 0) return false;
    if (!no_order_helps && ((both_are_strong && may_meet(stamp, a)) || is_ordered(c, stamp, a))) return false;
    *earlier = stamp;
    return true;
}

/* Whether an asynchronous copy is under way, to shared memory. */
INLINE bool meets_copy(race_stamp *earlier, const race_page *page, size_t i, const attempt *a)
{
    const race_stamp *stamps = a->shared ? race_shadow_stamps(page, RACE_PENDING_COPY) : NULL;
    if (!stamps || stamps[i].when == 0 || stamps[i].block != a->block) return false;
    *earlier = stamps[i];
    return true;
}

INLINE bool find_race(race_stamp *earlier, racecheck *c, const race_page *page, size_t i, const attempt *a)
{
    return races_with(earlier, c, page, RACE_PLAIN_WRITE, i, a) ||
           races_with(earlier, c, page, RACE_STRONG_WRITE, i, a) || meets_copy(earlier, page, i, a) ||
           (a->writes && (races_with(earlier, c, page, RACE_STRONG_READ, i, a) ||
                          races_with(earlier, c, page, RACE_PLAIN_READ, i, a) ||
                          races_with(earlier, c, page, RACE_OTHER_READ, i, a)));
}

/* Which of the two readers that bytes remember the next one replaces. Two of different warps stay, where there are
 * such: whoever writes then races with one of them. */
typedef enum replaced { REPLACES_FIRST, REPLACES_OTHER, REPLACES_NEITHER } replaced;

INLINE replaced find_replaced(racecheck *c, race_stamp first, race_stamp other, const attempt *a)
{
    if (is_ordered(c, first, a)) return REPLACES_FIRST;
    const bool is_better = same_warp(first, other.block, other.thread) && !same_warp(first, a->block, a->thread);
    return is_better || is_ordered(c, other, a) ? REPLACES_OTHER : REPLACES_NEITHER;
}

INLINE void remember_read(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    static const race_stamp none = {.word = {0, 0}};
    race_stamp *first = race_shadow_slot(page, RACE_PLAIN_READ), *other = race_shadow_stamps(page, RACE_OTHER_READ);
    if (!first) return;
    const race_stamp two = other ? race_stamp_read(&other[i]) : none;
    switch (find_replaced(c, race_stamp_read(&first[i]), two, a)) {
    case REPLACES_FIRST:
        set(&first[i], a);
        if (two.when && is_ordered(c, two, a)) race_stamp_write(&other[i], 0, 0);
        break;
    case REPLACES_OTHER:
        if (!other) other = race_shadow_slot(page, RACE_OTHER_READ);
        if (other) set(&other[i], a);
        break;
    case REPLACES_NEITHER: break;
    }
}

/* An atomic access does not replace one that it does not follow: a plain access may meet either. */
INLINE void remember(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    if (a->strength == CPU_ACCESS_READ_ONLY) return; /* the load itself follows */
    if (is_plain_read(a)) {
        remember_read(c, page, i, a);
        return;
    }
    const race_slot slot = !a->strong ? RACE_PLAIN_WRITE : a->writes ? RACE_STRONG_WRITE : RACE_STRONG_READ;
    race_stamp *stamps = race_shadow_slot(page, slot);
    if (stamps && (!a->strong || is_ordered(c, race_stamp_read(&stamps[i]), a))) set(&stamps[i], a);
}

/* An access to the bytes with number `i` of a page. If it races with an earlier access, that is put into *earlier, and
 * true is returned. */
INLINE bool access_cell(race_stamp *earlier, racecheck *c, race_page *page, size_t i, const attempt *a)
{
    const bool races = find_race(earlier, c, page, i, a);
    remember(c, page, i, a);
    return races;
}

/* If reads of bytes tell nothing new from now on, the code that makes them need not tell of them. */
INLINE void note_known(racecheck *c, const race_page *page, size_t i, const attempt *a, size_t bytes)
{
    cpu_known_read known;
    if (known_reads_find(&known, &c->known, a->address, bytes, page, i, c->clock, a->shared))
        known_reads_add(&c->known, a->address, &known);
}

/* ---- any bytes ---- */

/* The page of the bytes, whose parts are held if other threads of the host may use it. NULL when memory runs out. */
static race_page *hold_page(racecheck *c, const attempt *a, uintptr_t address, size_t bytes)
{
    if (!a->shared) return race_shadow_hold(c->launch->shadow, &c->recent, address, bytes);
    return race_shadow_fit(c->shared, &c->words.recent, address, bytes);
}

/* The part of an access that lies in one page. */
static bool access_page(race_stamp *earlier, racecheck *c, const attempt *a, uintptr_t address, size_t bytes)
{
    race_page *page = hold_page(c, a, address, bytes);
    if (!page) return false;
    const unsigned shift = race_shadow_shift(page);
    const size_t first = (address % RACE_PAGE_BYTES) >> shift, end = first + (bytes >> shift);
    bool races = false;
    for (size_t i = first; i < end; i++) {
        race_stamp here;
        if (!access_cell(&here, c, page, i, a) || races) continue;
        *earlier = here;
        races = true;
    }
    if (is_plain_read(a) && !races && (bytes == 4 || bytes == 8)) note_known(c, page, first, a, bytes);
    if (!a->shared) race_shadow_leave(page, address, bytes);
    return races;
}

static __attribute__((noinline)) bool access_pages(race_stamp *earlier, racecheck *c, attempt a, size_t bytes)
{
    bool races = false;
    for (size_t done = 0, part; done < bytes; done += part) {
        const size_t left = RACE_PAGE_BYTES - (a.address + done) % RACE_PAGE_BYTES;
        race_stamp here;
        part = bytes - done < left ? bytes - done : left;
        if (!access_page(&here, c, &a, a.address + done, part) || races) continue;
        *earlier = here;
        races = true;
    }
    return races;
}

/* ---- an aligned word of a page that has a stamp for each: nearly all accesses ---- */

/* Whether a plain read changes nothing and races with nothing, found without holding its part of the page: blocks that
 * read the same memory then do not wait for each other. */
INLINE bool is_nothing_new(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    const race_part *part = race_shadow_part(page, a->address);
    const unsigned version = race_part_version(part);
    if (version % 2 || race_shadow_shift(page) != RACE_WORD_SHIFT) return false;
    const race_stamp *first = race_shadow_stamps(page, RACE_PLAIN_READ);
    const race_stamp *other = race_shadow_stamps(page, RACE_OTHER_READ);
    if (!first || !other) return false;
    race_stamp earlier;
    cpu_known_read known;
    if (find_replaced(c, race_stamp_read(&first[i]), race_stamp_read(&other[i]), a) != REPLACES_NEITHER ||
        find_race(&earlier, c, page, i, a))
        return false;
    const bool is_known = known_reads_find(&known, &c->known, a->address, RACE_WORD_BYTES, page, i, c->clock, false);
    if (race_part_version(part) != version) return false;
    if (is_known) known_reads_add(&c->known, a->address, &known);
    return true;
}

INLINE bool access_word(race_stamp *earlier, racecheck *c, race_page *page, const attempt *a)
{
    const size_t i = a->address % RACE_PAGE_BYTES / RACE_WORD_BYTES;
    race_part *part = a->shared ? NULL : race_shadow_part(page, a->address);
    if (part && is_plain_read(a) && is_nothing_new(c, page, i, a)) return false;
    if (part && !race_part_try(part)) race_shadow_wait(part);
    const bool has_word = race_shadow_shift(page) == RACE_WORD_SHIFT,
               races = has_word && access_cell(earlier, c, page, i, a);
    if (has_word && !races && is_plain_read(a)) note_known(c, page, i, a, RACE_WORD_BYTES);
    if (part) race_part_leave(part);
    return has_word ? races : access_pages(earlier, c, *a, RACE_WORD_BYTES);
}

/* With the last three known to the compiler. */
INLINE bool access_as(race_stamp *earlier, racecheck *c, unsigned thread, uintptr_t address, size_t bytes,
                      const cpu_site *site, bool writes, bool strong, bool shared)
{
    const attempt a = make_attempt(c, thread, address, site, writes, strong, shared);
    if (bytes != RACE_WORD_BYTES || address % RACE_WORD_BYTES) return access_pages(earlier, c, a, bytes);
    race_page *page = shared ? race_shadow_page(c->shared, &c->words.recent, address)
                             : race_shadow_page(c->launch->shadow, &c->recent, address);
    return page && access_word(earlier, c, page, &a);
}

static bool access_bytes(race_stamp *earlier, racecheck *c, unsigned thread, uintptr_t address, size_t bytes,
                         const cpu_site *site, bool shared)
{
    const bool writes = site->kind != CPU_SITE_READ;
    if (is_strong(site->strength, shared))
        return access_as(earlier, c, thread, address, bytes, site, writes, true, shared);
    if (writes)
        return shared ? access_as(earlier, c, thread, address, bytes, site, true, false, true)
                      : access_as(earlier, c, thread, address, bytes, site, true, false, false);
    return shared ? access_as(earlier, c, thread, address, bytes, site, false, false, true)
                  : access_as(earlier, c, thread, address, bytes, site, false, false, false);
}

/* An access races with an earlier one: tells of it, or keeps it until what is written is known. */
static __attribute__((noinline)) void judge(racecheck *c, const race_conflict *found, bool shared)
{
    const cpu_site *site = found->site;
    if (site->kind != CPU_SITE_WRITE || race_site_of(&c->scene, &found->earlier)->kind != CPU_SITE_WRITE) {
        race_report(&c->scene, found);
        return;
    }
    if (!shared && is_in_flight(c, found->address, found->bytes)) return;
    c->pending = *found;
    memcpy(c->before, (const void *)found->address, compared(found->bytes));
    c->known.epoch = (unsigned)KNOWN_READS_NO_EPOCH;
    race_words_open(&c->words, false);
    c->known.runs++;
}

/* ---- asynchronous copies ---- */

static race_copies_place place_of_copies(racecheck *c)
{
    return (race_copies_place){c->shared, &c->words.recent, c->clock};
}

static void begin_copy(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    const race_copies_place place = place_of_copies(c);
    const race_copy copy = {.thread = thread, .address = address, .bytes = bytes, .site = site_number(c, site)};
    settle(c);
    race_words_close(&c->words); /* they do not know of copies */
    race_copies_begin(&c->copies, &place, &copy);
    known_reads_forget(&c->known, address, bytes);
}

void racecheck_copies(racecheck *c, unsigned thread, unsigned which)
{
    const race_copies_place place = place_of_copies(c);
    settle(c);
    race_copies_pass(&c->copies, &place, thread, which);
    forget_reads(c);
}

/* ---- reads that are written down ---- */

/* Compares what is written down: the block is about to write there, or other blocks may come to know more of it. */
static void tell_late(racecheck *c, bool may_wait)
{
    size_t count;
    const read_run *run = read_runs_take_out(&count, &c->runs);
    late_reads_tell(&c->scene, c->launch->shadow, &c->recent, run, count);
    c->may_wait = may_wait;
    read_runs_end(&c->runs, may_wait);
}

/* A write to an array that was expected only to be read. */
static void expect_writes(racecheck *c)
{
    atomic_store(&c->launch->is_wrong, true);
    if (c->may_wait) tell_late(c, false);
}

/* Whether a read of memory that blocks share has been written down. */
static bool may_come_late(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    if (!c->runs.is_open || site->strength != CPU_ACCESS_PLAIN || bytes > 16) return false;
    if (read_runs_are_full(&c->runs)) tell_late(c, true);
    const unsigned deepest = c->known.deepest[thread];
    const read_run read = {.site = site,
                           .address = address,
                           .block = c->clock->block,
                           .when = c->clock->barrier,
                           .thread = thread,
                           .bytes = (uint8_t)bytes,
                           .again = deepest > site->line};
    if (!read_runs_take(&c->runs, &read)) return false;
    if (deepest < site->line) c->known.deepest[thread] = site->line;
    return true;
}

/* ---- the access ---- */

void racecheck_access(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, bool shared)
{
    if (site->strength == CPU_ACCESS_ASYNCHRONOUS) {
        if (shared) begin_copy(c, thread, address, bytes, site);
        return;
    }
    const bool writes = site->kind != CPU_SITE_READ;
    race_conflict found;
    settle(c);
    if (shared ? race_words_tell(&c->words, thread, address, bytes, site)
               : !writes && may_come_late(c, thread, address, bytes, site))
        return;
    if (writes && !shared && read_arrays_meet(&c->launch->only_read, address, bytes)) expect_writes(c);
    /* Who finds the stamp also finds this: the part is left with a release. */
    if (writes && !shared) __atomic_store_n(&c->known.in_flight, address, __ATOMIC_RELAXED);
    const bool races = access_bytes(&found.earlier, c, thread, address, bytes, site, shared);
    const bool again = c->known.deepest[thread] > site->line;
    if (c->known.deepest[thread] < site->line) c->known.deepest[thread] = site->line;
    if (writes) {
        known_reads_forget(&c->known, address, bytes);
        if (is_strong(site->strength, shared))
            race_publish(c->order, thread, address, site->strength == CPU_ACCESS_BLOCK_ATOMIC);
    }
    if (!races) return;
    found.thread = thread;
    found.address = address;
    found.bytes = bytes;
    found.site = site;
    found.again = again;
    judge(c, &found, shared);
}

void racecheck_launch_end(racecheck_launch *launch, const cpu_launch *shape)
{
    if (!atomic_load(&launch->is_wrong)) return;
    for (racecheck *c = launch->made; c; c = c->next) {
        c->scene.shape = shape;
        tell_late(c, false);
    }
}

/* ---- synchronisation ---- */

/* A block begins, or its threads have passed a barrier. */
static void begin_interval(racecheck *c)
{
    memset(c->known.deepest, 0, kernel_block_threads(c->scene.shape) * sizeof *c->known.deepest);
    race_words_begin(&c->words);
    if (c->copies.count > 0) race_words_close(&c->words);
    read_runs_end(&c->runs, c->may_wait);
    forget_reads(c);
}

void racecheck_begin(racecheck *c, uint64_t block)
{
    c->scene.block = block;
    c->copies.count = 0;
    c->may_wait = c->waits && !atomic_load_explicit(&c->launch->is_wrong, memory_order_relaxed);
    race_begin(c->order, (uint32_t)block, kernel_block_threads(c->scene.shape));
    begin_interval(c);
}

void racecheck_end(racecheck *c) { settle(c); }

void racecheck_accessed(racecheck *c, unsigned thread, uintptr_t address)
{
    settle(c);
    race_acquire(c->order, thread, address);
    if (c->clock->acquired) race_words_close(&c->words);
    if (c->clock->acquired && c->may_wait) tell_late(c, false);
    forget_reads(c);
}

void racecheck_fence(racecheck *c, unsigned thread, bool for_block)
{
    settle(c);
    race_words_close(&c->words);
    if (c->may_wait) tell_late(c, false);
    race_pass_fence(c->order, thread, for_block);
    forget_reads(c);
}

void racecheck_barrier(racecheck *c)
{
    settle(c);
    race_pass_barrier(c->order);
    begin_interval(c);
}

void racecheck_warp(racecheck *c, unsigned warp, uint32_t lanes)
{
    settle(c);
    race_words_close(&c->words);
    read_runs_end(&c->runs, false);
    race_pass_warp(c->order, warp, lanes);
    forget_reads(c);
}

cpu_known_accesses *racecheck_known(racecheck *c) { return &c->known; }

void racecheck_forget_reads(racecheck *c, uintptr_t address, size_t bytes)
{
    known_reads_forget(&c->known, address, bytes);
}
