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

/* An asynchronous copy to shared memory, which is under way until its thread has waited for its group. */
typedef struct pending_copy {
    unsigned thread, group;
    uintptr_t address;
    size_t bytes;
    const cpu_site *site;
} pending_copy;

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
    pending_copy *copy;
    size_t copies, copy_capacity;
    unsigned groups[RACE_THREADS]; /* of copies that each thread has ended; nothing is copied before the first copy */
    unsigned epoch;                /* of known reads, unless a write is about to take place */
    cpu_known_reads reads;
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
    free(c->copy);
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
    if (found->earlier.strength == CPU_ACCESS_ASYNCHRONOUS) {
        snprintf(text, capacity, "the copy is asynchronous: no __pipeline_wait_prior() of its thread comes before%s",
                 found->earlier.thread == found->thread ? "" : ", with a __syncthreads() behind it");
        return;
    }
    if (found->site->strength == CPU_ACCESS_READ_ONLY) {
        snprintf(text, capacity,
                 "__ldg() is for memory that nothing writes during the kernel, whatever orders the two; a plain load "
                 "sees what others have published");
        return;
    }
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

static inline void settle(racecheck *c)
{
    if (atomic_load_explicit(&c->in_flight, memory_order_relaxed))
        atomic_store_explicit(&c->in_flight, 0, memory_order_release);
    if (c->pending.site) judge_pending(c);
    c->reads.epoch = c->epoch;
}

/* Threads have synchronised: any read may tell something new. */
static void forget_reads(racecheck *c) { c->reads.epoch = ++c->epoch; }

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

INLINE attempt make_attempt(const racecheck *c, unsigned thread, uintptr_t address, const cpu_site *site, bool shared)
{
    const uint64_t when = c->clock->start[thread], strength = site->strength,
                   again = c->reads.deepest[thread] > site->line;
    return (attempt){.word = {c->clock->block | when << 32,
                              thread | strength << 16 | again << 24 | (uint64_t)site_number(c, site) << 32},
                     .block = c->clock->block,
                     .thread = thread,
                     .strength = site->strength,
                     .address = address,
                     .writes = site->kind != CPU_SITE_READ,
                     .strong = is_strong(site->strength, shared),
                     .shared = shared};
}

INLINE void set(race_stamp *stamp, const attempt *a)
{
    stamp->word[0] = a->word[0];
    stamp->word[1] = a->word[1];
}

INLINE bool is_ordered(racecheck *c, const race_stamp *stamp, const attempt *a)
{
    return stamp->when == 0 || (a->shared && stamp->block != a->block) ||
           race_is_ordered(c->order, c->clock, stamp, a->thread, a->address);
}

static bool same_warp(const race_stamp *stamp, uint32_t block, unsigned thread)
{
    return stamp->block == block && stamp->thread / CPU_WARP_LANES == thread / CPU_WARP_LANES;
}

/* Whether two accesses, each of them atomic or volatile, may meet. */
static bool may_meet(const race_stamp *stamp, const attempt *a)
{
    if (stamp->when == 0) return true;
    const cpu_strength own = a->strength, other = stamp->strength;
    if (own == CPU_ACCESS_VOLATILE && other == CPU_ACCESS_VOLATILE) return !same_warp(stamp, a->block, a->thread);
    if (own == CPU_ACCESS_BLOCK_ATOMIC || other == CPU_ACCESS_BLOCK_ATOMIC) return stamp->block == a->block;
    return true;
}

/* The earlier access with which this one races; NULL if there is none. */
INLINE const race_stamp *find_race(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    for (race_slot slot = 0; slot < RACE_SLOTS; slot++) {
        const bool is_read = slot >= RACE_STRONG_READ;
        const bool slot_is_strong = slot == RACE_STRONG_WRITE || slot == RACE_STRONG_READ;
        if (!page->slot[slot] || (is_read && !a->writes)) continue;
        const race_stamp *stamp = &page->slot[slot][i];
        if (slot == RACE_PENDING_COPY) {
            if (stamp->when && stamp->block == a->block) return stamp;
            continue;
        }
        if (a->strength == CPU_ACCESS_READ_ONLY && stamp->when && !a->shared) return stamp;
        if (slot_is_strong && a->strong && may_meet(stamp, a)) continue;
        if (!is_ordered(c, stamp, a)) return stamp;
    }
    return NULL;
}

/* Two readers of different warps stay, where there are such: whoever writes then races with one of them. */
INLINE void remember_read(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    race_stamp *first = race_shadow_slot(page, RACE_PLAIN_READ);
    if (!first) return;
    race_stamp *other = page->slot[RACE_OTHER_READ];
    if (is_ordered(c, &first[i], a)) {
        set(&first[i], a);
        if (other && is_ordered(c, &other[i], a)) other[i] = (race_stamp){0};
        return;
    }
    other = race_shadow_slot(page, RACE_OTHER_READ);
    if (other && (is_ordered(c, &other[i], a) || (same_warp(&first[i], other[i].block, other[i].thread) &&
                                                  !same_warp(&first[i], a->block, a->thread))))
        set(&other[i], a);
}

/* An atomic access does not replace one that it does not follow: a plain access may meet either. */
INLINE void remember(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    if (a->strength == CPU_ACCESS_READ_ONLY) return; /* the load itself follows */
    const race_slot slot = a->writes   ? a->strong ? RACE_STRONG_WRITE : RACE_PLAIN_WRITE
                           : a->strong ? RACE_STRONG_READ
                                       : RACE_PLAIN_READ;
    if (slot == RACE_PLAIN_READ) {
        remember_read(c, page, i, a);
        return;
    }
    race_stamp *stamps = race_shadow_slot(page, slot);
    if (stamps && (slot == RACE_PLAIN_WRITE || is_ordered(c, &stamps[i], a))) set(&stamps[i], a);
}

/* The part of an access that lies in one page. The earlier access with which it races, if there is one, is put into
 * found->earlier, and true is returned. */
INLINE bool access_page(racecheck *c, conflict *found, const attempt *a, uintptr_t address, size_t bytes)
{
    race_page *page = a->shared ? race_shadow_page(c->shared, &c->recent_shared, address)
                                : race_shadow_hold(c->launch->shadow, &c->recent, address, bytes);
    if (!page || (a->shared && !race_shadow_fit(page, address, bytes))) return false;
    const size_t first = (address % RACE_PAGE_BYTES) >> page->shift, end = first + (bytes >> page->shift);
    bool races = false;
    for (size_t i = first; i < end; i++) {
        const race_stamp *earlier = races ? NULL : find_race(c, page, i, a);
        if (earlier) {
            found->earlier = *earlier;
            races = true;
        }
        remember(c, page, i, a);
    }
    if (!a->writes && a->strength == CPU_ACCESS_PLAIN && (bytes == 4 || bytes == 8) && !races)
        known_reads_note(&c->reads, address, bytes, page, first, c->clock, a->shared);
    if (!a->shared) race_shadow_leave(page);
    return races;
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

/* ---- asynchronous copies ---- */

/* Stamps the bytes of a copy: as one under way or, once its thread has waited, as a store of now. */
static void stamp_copy(racecheck *c, const pending_copy *copy, bool is_done)
{
    const attempt a = make_attempt(c, copy->thread, copy->address, copy->site, true);
    const uint64_t strength = is_done ? CPU_ACCESS_PLAIN : CPU_ACCESS_ASYNCHRONOUS;
    const race_stamp stamp = {.word = {a.word[0], (a.word[1] & ~(UINT64_C(0xff) << 16)) | strength << 16}};
    for (size_t done = 0, part; done < copy->bytes; done += part) {
        const uintptr_t at = copy->address + done;
        const size_t left = RACE_PAGE_BYTES - at % RACE_PAGE_BYTES;
        part = copy->bytes - done < left ? copy->bytes - done : left;
        race_page *page = race_shadow_page(c->shared, &c->recent_shared, at);
        if (!page || !race_shadow_fit(page, at, part)) return;
        race_stamp *under_way = race_shadow_slot(page, RACE_PENDING_COPY);
        race_stamp *written = race_shadow_slot(page, RACE_PLAIN_WRITE);
        if (!under_way || !written) return;
        const size_t first = (at % RACE_PAGE_BYTES) >> page->shift, end = first + (part >> page->shift);
        for (size_t i = first; i < end; i++) {
            if (is_done && under_way[i].thread == copy->thread && under_way[i].block == a.block) written[i] = stamp;
            under_way[i] = is_done ? (race_stamp){0} : stamp;
        }
    }
}

static void begin_copy(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    settle(c);
    if (c->copies == c->copy_capacity) {
        const size_t capacity = c->copy_capacity ? 2 * c->copy_capacity : 1024;
        pending_copy *larger = realloc(c->copy, capacity * sizeof *larger);
        if (!larger) return;
        c->copy = larger;
        c->copy_capacity = capacity;
    }
    if (c->copies == 0) memset(c->groups, 0, sizeof c->groups);
    c->copy[c->copies] = (pending_copy){thread, c->groups[thread], address, bytes, site};
    stamp_copy(c, &c->copy[c->copies++], false);
    known_reads_forget(&c->reads, address, bytes);
}

void racecheck_copies(racecheck *c, unsigned thread, unsigned which)
{
    settle(c);
    if (which == CPU_FENCE_COMMIT) {
        c->groups[thread]++;
        return;
    }
    size_t kept = 0;
    for (size_t i = 0; i < c->copies; i++) {
        const pending_copy *copy = &c->copy[i];
        if (copy->thread == thread && copy->group + (which - CPU_FENCE_WAIT) < c->groups[thread])
            stamp_copy(c, copy, true);
        else
            c->copy[kept++] = *copy;
    }
    c->copies = kept;
    forget_reads(c);
}

void racecheck_access(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, bool shared)
{
    if (site->strength == CPU_ACCESS_ASYNCHRONOUS) {
        if (shared) begin_copy(c, thread, address, bytes, site);
        return;
    }
    settle(c);
    const attempt a = make_attempt(c, thread, address, site, shared);
    conflict found;
    bool races = false;
    /* Who finds the stamp also finds this: the page is left with a release. */
    if (a.writes && !shared) atomic_store_explicit(&c->in_flight, address, memory_order_relaxed);
    for (size_t done = 0, part; done < bytes; done += part) {
        const size_t left = RACE_PAGE_BYTES - (address + done) % RACE_PAGE_BYTES;
        conflict here;
        part = bytes - done < left ? bytes - done : left;
        if (!access_page(c, &here, &a, address + done, part) || races) continue;
        found.earlier = here.earlier;
        races = true;
    }
    const bool again = c->reads.deepest[thread] > site->line;
    if (c->reads.deepest[thread] < site->line) c->reads.deepest[thread] = site->line;
    if (a.writes) {
        known_reads_forget(&c->reads, address, bytes);
        c->reads.epoch = (unsigned)KNOWN_READS_NO_EPOCH;
    }
    if (a.strong && a.writes) race_publish(c->order, thread, address, site->strength == CPU_ACCESS_BLOCK_ATOMIC);
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
    c->copies = 0;
    memset(c->reads.deepest, 0, kernel_block_threads(c->shape) * sizeof *c->reads.deepest);
    race_begin(c->order, (uint32_t)block, kernel_block_threads(c->shape));
    forget_reads(c);
}

void racecheck_end(racecheck *c) { settle(c); }

void racecheck_accessed(racecheck *c, unsigned thread, uintptr_t address)
{
    settle(c);
    race_acquire(c->order, thread, address);
    forget_reads(c);
}

void racecheck_fence(racecheck *c, unsigned thread, bool for_block)
{
    settle(c);
    race_pass_fence(c->order, thread, for_block);
    forget_reads(c);
}

void racecheck_barrier(racecheck *c)
{
    settle(c);
    memset(c->reads.deepest, 0, kernel_block_threads(c->shape) * sizeof *c->reads.deepest);
    race_pass_barrier(c->order);
    forget_reads(c);
}

void racecheck_warp(racecheck *c, unsigned warp, uint32_t lanes)
{
    settle(c);
    race_pass_warp(c->order, warp, lanes);
    forget_reads(c);
}

cpu_known_reads *racecheck_known_reads(racecheck *c) { return &c->reads; }

void racecheck_forget_reads(racecheck *c, uintptr_t address, size_t bytes)
{
    known_reads_forget(&c->reads, address, bytes);
}
