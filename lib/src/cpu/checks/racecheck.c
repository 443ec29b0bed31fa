/* A write that meets another is judged when its value is known: before the same thread of the host does anything else
 * that is checked. It is not judged if the other's value may not be known yet. */
#include "racecheck.h"

#include "cpu/kernel/kernel_blocks.h"
#include "cpu/kernel/warp.h"
#include "known_reads.h"

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
};

/* Two accesses that nothing orders. */
typedef struct conflict {
    race_stamp earlier;
    unsigned thread;
    uintptr_t address;
    size_t bytes;
    const cpu_site *site; /* NULL if there is no conflict */
    bool again;           /* as in a stamp */
} conflict;

struct racecheck {
    racecheck_launch *launch;
    racecheck *next;
    bool is_used;
    _Atomic uintptr_t in_flight; /* a write that others see here before they see it in memory; 0 if there is none */
    race_block *order;
    const race_clock *clock; /* the same */
    race_shadow *shared;     /* of the blocks' own memory */
    race_recent recent, recent_shared;
    findings *found;
    const cpu_kernel *kernel;
    memcheck_scene scene;
    const cpu_launch *shape;
    uint64_t block;
    conflict pending; /* two writes, of which the later is about to take place */
    unsigned char before[MOST_COMPARED];
    unsigned epoch; /* of known reads, unless a write is about to take place */
    size_t words;   /* of shared memory; 0 if they are not kept */
    bool keeps;     /* whether they tell of accesses since the barrier */
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
    free(c->known.word);
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
    if (c->order && c->shared) return c;
    destroy(c);
    return NULL;
}

racecheck *racecheck_create(racecheck_launch *launch, findings *found, const cpu_kernel *kernel,
                            const memcheck_scene *scene, const cpu_launch *shape)
{
    pthread_mutex_lock(&launch->lock);
    racecheck *c = launch->made;
    while (c && c->is_used) c = c->next;
    if (!c && (c = make(launch))) {
        c->next = launch->made;
        launch->made = c;
    }
    if (c) c->is_used = true;
    pthread_mutex_unlock(&launch->lock);
    if (!c) return NULL;
    c->clock = race_clock_of(c->order);
    c->found = found;
    c->kernel = kernel;
    c->scene = *scene;
    c->shape = shape;
    return c;
}

/* With nothing pending: the block that ran last has ended, or its kernel has. */
void racecheck_free(racecheck *c)
{
    if (!c) return;
    c->pending.site = NULL;
    atomic_store(&c->in_flight, 0);
    pthread_mutex_lock(&c->launch->lock);
    c->is_used = false;
    pthread_mutex_unlock(&c->launch->lock);
}

/* ---- sites: kept as distances from the module's code ---- */

static int32_t site_number(const racecheck *c, const cpu_site *site)
{
    return (int32_t)((intptr_t)site - (intptr_t)c->kernel->code);
}

static const cpu_site *site_of(const racecheck *c, const race_stamp *stamp)
{
    return (const void *)((intptr_t)c->kernel->code + stamp->site);
}

/* ---- what a conflict is called ---- */

/* "comes between line 12 and line 15". If the access at the lower line follows one at a higher line, both are in a
 * loop. */
static void write_where(char *text, size_t capacity, const conflict *found, const cpu_site *earlier)
{
    const bool falls = earlier->line > found->site->line;
    const unsigned low = falls ? found->site->line : earlier->line, high = falls ? earlier->line : found->site->line;
    if (low == high)
        snprintf(text, capacity, "orders the threads at line %u", low);
    else if (falls ? found->again : found->earlier.again)
        snprintf(text, capacity, "comes between line %u and line %u of the next round", high, low);
    else
        snprintf(text, capacity, "comes between line %u and line %u", low, high);
}

/* Where the two threads are. */
typedef enum reach { IN_WARP, IN_BLOCK, BETWEEN_BLOCKS } reach;

static reach reach_of(const racecheck *c, const conflict *found)
{
    if (found->earlier.block != (uint32_t)c->block) return BETWEEN_BLOCKS;
    return found->earlier.thread / CPU_WARP_LANES == found->thread / CPU_WARP_LANES ? IN_WARP : IN_BLOCK;
}

static bool is_atomic_site(const cpu_site *site)
{
    return site->strength == CPU_ACCESS_ATOMIC || site->strength == CPU_ACCESS_BLOCK_ATOMIC;
}

static void write_missing(char *text, size_t capacity, const racecheck *c, const conflict *found)
{
    const cpu_site *earlier = site_of(c, &found->earlier);
    const bool is_atomic = is_atomic_site(found->site) || is_atomic_site(earlier);
    const bool for_block =
        found->site->strength == CPU_ACCESS_BLOCK_ATOMIC || earlier->strength == CPU_ACCESS_BLOCK_ATOMIC;
    const reach across = reach_of(c, found);
    char where[96];
    write_where(where, sizeof where, found, earlier);
    if (across != BETWEEN_BLOCKS)
        snprintf(text, capacity, "no %s__syncthreads() %s", across == IN_WARP ? "__syncwarp() or " : "", where);
    else if (for_block)
        snprintf(text, capacity,
                 "a function with _block in its name, or of cuda::thread_scope_block, is atomic for the threads of one "
                 "block alone");
    else if (is_atomic)
        snprintf(text, capacity,
                 "one of the two is not atomic, and no flag behind a __threadfence() orders the blocks");
    else
        snprintf(text, capacity, "only atomic operations, or a flag behind a __threadfence(), order blocks");
}

static void describe(finding *out, const racecheck *c, const conflict *found)
{
    static const char *const does[] = {
        [CPU_SITE_READ] = "reads", [CPU_SITE_WRITE] = "writes", [CPU_SITE_ATOMIC] = "atomically updates"};
    const cpu_site *site = found->site, *earlier = site_of(c, &found->earlier);
    char place[512], thread[96], missing[192], file[128] = "";
    memcheck_name(place, sizeof place, c->kernel, found->address, found->bytes, &c->scene);
    findings_write_thread(thread, sizeof thread, found->earlier.thread, found->earlier.block, (uint32_t)c->block,
                          c->shape);
    write_missing(missing, sizeof missing, c, found);
    if (strcmp(site->file, earlier->file) != 0) snprintf(file, sizeof file, "%s, ", earlier->file);
    const char *order = site->kind == CPU_SITE_READ      ? "read after write"
                        : earlier->kind == CPU_SITE_READ ? "write after read"
                                                         : "write after write";
    snprintf(out->what, sizeof out->what, "%s %zu byte%s, %s, which %s %s at %sline %u: a race (%s): %s",
             does[site->kind], found->bytes, found->bytes == 1 ? "" : "s", place, thread, does[earlier->kind], file,
             earlier->line, order, missing);
}

static void report(racecheck *c, const conflict *found)
{
    const cpu_site *site = found->site;
    finding key = {.kind = CPU_FAILURE_RACE,
                   .file = site->file,
                   .function = site->function,
                   .line = site->line,
                   .other_line = site_of(c, &found->earlier)->line,
                   .weight = (unsigned)reach_of(c, found),
                   .block = c->block};
    kernel_block_index(key.block_index, c->block, c->shape);
    kernel_thread_index(key.thread, found->thread, c->shape);
    finding *place = findings_open(c->found, &key);
    if (!place) return;
    describe(place, c, found);
    findings_close(c->found);
}

/* ---- pending writes ---- */

static size_t compared(size_t bytes) { return bytes < MOST_COMPARED ? bytes : MOST_COMPARED; }

/* Whether another thread of the host may be about to write there: what it writes cannot be compared yet. */
static bool is_in_flight(const racecheck *c, uintptr_t address, size_t bytes)
{
    bool found = false;
    pthread_mutex_lock(&c->launch->lock);
    for (racecheck *other = c->launch->made; other && !found; other = other->next) {
        const uintptr_t begin = atomic_load(&other->in_flight);
        found = other != c && begin && begin < address + bytes && address < begin + MOST_COMPARED;
    }
    pthread_mutex_unlock(&c->launch->lock);
    return found;
}

/* The write that was pending has taken place. */
static __attribute__((noinline)) void judge_pending(racecheck *c)
{
    const conflict *two = &c->pending;
    if (memcmp(c->before, (const void *)two->address, compared(two->bytes)) != 0) report(c, two);
    c->pending.site = NULL;
}

/* Whether the code of the kernel decides on shared memory itself. */
static inline void open_words(racecheck *c, bool is_open)
{
    c->known.end = c->known.begin + (is_open ? c->words * sizeof(unsigned) : 0);
}

static inline void settle(racecheck *c)
{
    if (atomic_load_explicit(&c->in_flight, memory_order_relaxed))
        atomic_store_explicit(&c->in_flight, 0, memory_order_release);
    if (c->pending.site) judge_pending(c);
    c->known.epoch = c->epoch;
    open_words(c, c->keeps);
}

/* Threads have synchronised: any read may tell something new. */
static void forget_reads(racecheck *c) { c->known.epoch = ++c->epoch; }

/* ---- words of shared memory ---- */

enum { WORD_BYTES = 4, WORD_SHIFT = 2 };

void racecheck_keep_words(racecheck *c, uintptr_t begin, size_t bytes)
{
    const size_t words = (begin % WORD_BYTES + bytes + WORD_BYTES - 1) / WORD_BYTES;
    if (words != c->words) {
        free(c->known.word);
        c->known.word = calloc(words, sizeof *c->known.word);
        c->words = c->known.word ? words : 0;
    }
    c->known.begin = begin - begin % WORD_BYTES;
}

/* The stamp of an access that a word tells of. Its thread has not synchronised since the barrier. */
static race_stamp stamp_of(const racecheck *c, const cpu_shared_word *word, unsigned which)
{
    const unsigned who = word->thread[which];
    if (who == CPU_NO_THREAD) return (race_stamp){.word = {0, 0}};
    return (race_stamp){.block = c->clock->block,
                        .when = c->clock->barrier,
                        .thread = who % CPU_AGAIN,
                        .strength = CPU_ACCESS_PLAIN,
                        .again = who >= CPU_AGAIN,
                        .site = (int32_t)(word->site[which] - (unsigned)(uintptr_t)c->kernel->code)};
}

static void move_stamp(race_page *page, race_slot slot, uintptr_t address, race_stamp stamp)
{
    const unsigned shift = race_shadow_shift(page);
    const unsigned first = address % RACE_PAGE_BYTES >> shift, end = first + ((unsigned)WORD_BYTES >> shift);
    race_stamp *stamps = race_shadow_slot(page, slot);
    for (unsigned i = first; stamps && i < end; i++) stamps[i] = stamp;
}

/* The shadow gets what a word tells, and is asked from now on, up to the next barrier. */
static void ask_word(racecheck *c, size_t i)
{
    cpu_shared_word *word = &c->known.word[i];
    const uintptr_t address = c->known.begin + i * WORD_BYTES;
    race_page *page = race_shadow_page(c->shared, &c->recent_shared, address);
    const bool tells = word->epoch == c->known.interval && !word->asks && page;
    if (tells && word->thread[CPU_WORD_WRITER] != CPU_NO_THREAD)
        move_stamp(page, RACE_PLAIN_WRITE, address, stamp_of(c, word, CPU_WORD_WRITER));
    if (tells && word->thread[CPU_WORD_READER] != CPU_NO_THREAD) {
        move_stamp(page, RACE_PLAIN_READ, address, stamp_of(c, word, CPU_WORD_READER));
        move_stamp(page, RACE_OTHER_READ, address, stamp_of(c, word, CPU_WORD_OTHER));
    }
    word->epoch = c->known.interval;
    word->asks = true;
}

static void ask_words(racecheck *c, uintptr_t address, size_t bytes)
{
    const size_t first = (address - c->known.begin) / WORD_BYTES;
    const size_t last = (address + bytes - 1 - c->known.begin) / WORD_BYTES;
    for (size_t i = first; i <= last && i < c->words; i++) ask_word(c, i);
}

/* Some threads are about to know more than a barrier told them, or do: words are too simple for that. */
static void close_words(racecheck *c)
{
    for (size_t i = 0; c->keeps && i < c->words; i++)
        if (c->known.word[i].epoch == c->known.interval) ask_word(c, i);
    c->keeps = false;
    open_words(c, false);
}

/* A block begins, or its threads have passed a barrier. */
static void begin_interval(racecheck *c)
{
    memset(c->known.deepest, 0, kernel_block_threads(c->shape) * sizeof *c->known.deepest);
    c->known.interval++;
    c->keeps = c->words && !c->clock->acquired;
    open_words(c, c->keeps);
    forget_reads(c);
}

/* Whether words tell of the access from now on, and nothing races. */
static inline bool is_told_by_word(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    const uintptr_t offset = address - c->known.begin;
    if (!c->keeps || offset >= c->words * WORD_BYTES) return false;
    if (bytes == WORD_BYTES && offset % WORD_BYTES == 0 && site->strength == CPU_ACCESS_PLAIN &&
        site->kind != CPU_SITE_ATOMIC &&
        cpu_shared_word_access(&c->known, &c->known.word[offset / WORD_BYTES], thread, site))
        return true;
    ask_words(c, address, bytes);
    return false;
}

/* ---- accesses ---- */

static bool is_strong(unsigned strength, bool shared)
{
    return strength == CPU_ACCESS_ATOMIC || strength == CPU_ACCESS_BLOCK_ATOMIC ||
           (strength == CPU_ACCESS_VOLATILE && !shared);
}

/* An access as it is compared with those that a byte remembers. Its parts stay in registers: a stamp that is written in
 * parts and then copied as a whole makes the processor wait. */
typedef struct attempt {
    uint64_t word[2]; /* its stamp */
    uint32_t block;
    unsigned thread;
    cpu_strength strength;
    uintptr_t address;
    bool writes, strong, shared;
} attempt;

#define INLINE static inline __attribute__((always_inline))

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

INLINE bool is_plain_read(const attempt *a) { return !a->writes && !a->strong; }

INLINE void set(race_stamp *stamp, const attempt *a) { race_stamp_write(stamp, a->word[0], a->word[1]); }

INLINE bool is_ordered(racecheck *c, race_stamp stamp, const attempt *a)
{
    return stamp.when == 0 || (a->shared && stamp.block != a->block) ||
           race_is_ordered(c->order, c->clock, stamp, a->thread, a->address);
}

INLINE bool same_warp(race_stamp stamp, uint32_t block, unsigned thread)
{
    return stamp.block == block && stamp.thread / CPU_WARP_LANES == thread / CPU_WARP_LANES;
}

/* Whether two accesses, each of them atomic or volatile, may meet. */
INLINE bool may_meet(race_stamp stamp, const attempt *a)
{
    const cpu_strength own = a->strength, other = stamp.strength;
    const bool in_block = stamp.block == a->block;
    const bool own_is_atomic = own == CPU_ACCESS_ATOMIC || (own == CPU_ACCESS_BLOCK_ATOMIC && in_block);
    const bool other_is_atomic = other == CPU_ACCESS_ATOMIC || (other == CPU_ACCESS_BLOCK_ATOMIC && in_block);
    if (own == CPU_ACCESS_VOLATILE && other == CPU_ACCESS_VOLATILE) return !same_warp(stamp, a->block, a->thread);
    return (own_is_atomic || own == CPU_ACCESS_VOLATILE) && (other_is_atomic || other == CPU_ACCESS_VOLATILE);
}

/* Whether an access races with the one that a slot remembers, which is then put into *earlier. */
INLINE bool races_with(race_stamp *earlier, racecheck *c, const race_page *page, race_slot slot, size_t i,
                       const attempt *a)
{
    const race_stamp *stamps = race_shadow_stamps(page, slot);
    if (!stamps) return false;
    const race_stamp stamp = race_stamp_read(&stamps[i]);
    const bool both_are_strong = a->strong && (slot == RACE_STRONG_WRITE || slot == RACE_STRONG_READ);
    if (stamp.when == 0 || (both_are_strong && may_meet(stamp, a)) || is_ordered(c, stamp, a)) return false;
    *earlier = stamp;
    return true;
}

INLINE bool find_race(race_stamp *earlier, racecheck *c, const race_page *page, size_t i, const attempt *a)
{
    return races_with(earlier, c, page, RACE_PLAIN_WRITE, i, a) ||
           races_with(earlier, c, page, RACE_STRONG_WRITE, i, a) ||
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
    if (is_plain_read(a)) {
        remember_read(c, page, i, a);
        return;
    }
    const race_slot slot = !a->strong ? RACE_PLAIN_WRITE : a->writes ? RACE_STRONG_WRITE : RACE_STRONG_READ;
    race_stamp *stamps = race_shadow_slot(page, slot);
    if (stamps && (!a->strong || is_ordered(c, race_stamp_read(&stamps[i]), a))) set(&stamps[i], a);
}

/* An access to the bytes with number `i` of a page. The earlier access with which it races, if there is one, is put into
 * *earlier, and true is returned. */
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
    race_page *page = race_shadow_page(c->shared, &c->recent_shared, address);
    return page && (race_shadow_fits(page, address, bytes) || race_shadow_refine(page)) ? page : NULL;
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
    if (version % 2 || race_shadow_shift(page) != WORD_SHIFT) return false;
    const race_stamp *first = race_shadow_stamps(page, RACE_PLAIN_READ);
    const race_stamp *other = race_shadow_stamps(page, RACE_OTHER_READ);
    if (!first || !other) return false;
    race_stamp earlier;
    cpu_known_read known;
    if (find_replaced(c, race_stamp_read(&first[i]), race_stamp_read(&other[i]), a) != REPLACES_NEITHER ||
        find_race(&earlier, c, page, i, a))
        return false;
    const bool is_known = known_reads_find(&known, &c->known, a->address, WORD_BYTES, page, i, c->clock, false);
    if (race_part_version(part) != version) return false;
    if (is_known) known_reads_add(&c->known, a->address, &known);
    return true;
}

INLINE bool access_word(race_stamp *earlier, racecheck *c, race_page *page, const attempt *a)
{
    const size_t i = a->address % RACE_PAGE_BYTES / WORD_BYTES;
    race_part *part = a->shared ? NULL : race_shadow_part(page, a->address);
    if (part && is_plain_read(a) && is_nothing_new(c, page, i, a)) return false;
    if (part && !race_part_try(part)) race_shadow_wait(part);
    const bool has_word = race_shadow_shift(page) == WORD_SHIFT,
               races = has_word && access_cell(earlier, c, page, i, a);
    if (has_word && !races && is_plain_read(a)) note_known(c, page, i, a, WORD_BYTES);
    if (part) race_part_leave(part);
    return has_word ? races : access_pages(earlier, c, *a, WORD_BYTES);
}

/* With the last three known to the compiler. */
INLINE bool access_as(race_stamp *earlier, racecheck *c, unsigned thread, uintptr_t address, size_t bytes,
                      const cpu_site *site, bool writes, bool strong, bool shared)
{
    const attempt a = make_attempt(c, thread, address, site, writes, strong, shared);
    if (bytes != WORD_BYTES || address % WORD_BYTES) return access_pages(earlier, c, a, bytes);
    race_page *page = shared ? race_shadow_page(c->shared, &c->recent_shared, address)
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
static __attribute__((noinline)) void judge(racecheck *c, const conflict *found, bool shared)
{
    const cpu_site *site = found->site;
    if (site->kind != CPU_SITE_WRITE || site_of(c, &found->earlier)->kind != CPU_SITE_WRITE) {
        report(c, found);
        return;
    }
    if (!shared && is_in_flight(c, found->address, found->bytes)) return;
    c->pending = *found;
    memcpy(c->before, (const void *)found->address, compared(found->bytes));
}

void racecheck_access(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, bool shared)
{
    const bool writes = site->kind != CPU_SITE_READ;
    conflict found;
    settle(c);
    if (shared && is_told_by_word(c, thread, address, bytes, site)) return;
    /* Who finds the stamp also finds this: the part is left with a release. */
    if (writes && !shared) atomic_store_explicit(&c->in_flight, address, memory_order_relaxed);
    const bool races = access_bytes(&found.earlier, c, thread, address, bytes, site, shared);
    const bool again = c->known.deepest[thread] > site->line;
    if (c->known.deepest[thread] < site->line) c->known.deepest[thread] = site->line;
    if (writes) {
        known_reads_forget(&c->known, address, bytes);
        c->known.epoch = (unsigned)KNOWN_READS_NO_EPOCH;
        open_words(c, false);
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

/* ---- synchronisation ---- */

void racecheck_begin(racecheck *c, uint64_t block)
{
    c->block = block;
    race_begin(c->order, (uint32_t)block, kernel_block_threads(c->shape));
    begin_interval(c);
}

void racecheck_end(racecheck *c) { settle(c); }

void racecheck_accessed(racecheck *c, unsigned thread, uintptr_t address)
{
    settle(c);
    race_acquire(c->order, thread, address);
    if (c->clock->acquired) close_words(c);
    forget_reads(c);
}

void racecheck_fence(racecheck *c, unsigned thread, bool for_block)
{
    settle(c);
    close_words(c);
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
    close_words(c);
    race_pass_warp(c->order, warp, lanes);
    forget_reads(c);
}

cpu_known_accesses *racecheck_known(racecheck *c) { return &c->known; }

void racecheck_forget_reads(racecheck *c, uintptr_t address, size_t bytes)
{
    known_reads_forget(&c->known, address, bytes);
}
