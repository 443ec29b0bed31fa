/* A write that meets another is judged when its value is known: before the same thread of the host does anything else
 * that is checked. It is not judged if the other's value may not be known yet. */
#include "racecheck.h"

#include "cpu/kernel/kernel_blocks.h"
#include "cpu/kernel/warp.h"
#include "race_shadow.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPARED = 64, MOST_THREADS = 1024 };

struct racecheck_launch {
    race_launch *order;
    race_shadow *shadow;
    pthread_mutex_t lock;
    racecheck *running; /* a list */
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
    racecheck *next;             /* that runs */
    _Atomic uintptr_t in_flight; /* a write that others see here before they see it in memory; 0 if there is none */
    race_block *order;
    race_shadow *shadow;
    race_recent recent;
    findings *found;
    const cpu_kernel *kernel;
    memcheck_scene scene;
    const cpu_launch *shape;
    uint64_t block;
    conflict pending; /* two writes, of which the later is about to take place */
    unsigned char before[MOST_COMPARED];
    unsigned deepest[MOST_THREADS]; /* the highest line that a thread has come to since the barrier */
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

void racecheck_launch_free(racecheck_launch *launch)
{
    if (!launch) return;
    race_launch_free(launch->order);
    race_shadow_free(launch->shadow);
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}

racecheck *racecheck_create(racecheck_launch *launch, findings *found, const cpu_kernel *kernel,
                            const memcheck_scene *scene, const cpu_launch *shape)
{
    racecheck *c = calloc(1, sizeof *c);
    race_block *order = c ? race_block_create(launch->order) : NULL;
    if (!order) {
        free(c);
        return NULL;
    }
    pthread_mutex_lock(&launch->lock);
    c->launch = launch;
    c->next = launch->running;
    launch->running = c;
    pthread_mutex_unlock(&launch->lock);
    c->order = order;
    c->shadow = launch->shadow;
    c->found = found;
    c->kernel = kernel;
    c->scene = *scene;
    c->shape = shape;
    return c;
}

void racecheck_free(racecheck *c)
{
    if (!c) return;
    pthread_mutex_lock(&c->launch->lock);
    racecheck **at = &c->launch->running;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    pthread_mutex_unlock(&c->launch->lock);
    race_block_free(c->order);
    free(c);
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
        snprintf(text, capacity, "a function with _block in its name is atomic for the threads of one block alone");
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
    for (racecheck *other = c->launch->running; other && !found; other = other->next) {
        const uintptr_t begin = atomic_load(&other->in_flight);
        found = other != c && begin && begin < address + bytes && address < begin + MOST_COMPARED;
    }
    pthread_mutex_unlock(&c->launch->lock);
    return found;
}

/* The write has taken place. */
static void settle(racecheck *c)
{
    if (atomic_load_explicit(&c->in_flight, memory_order_relaxed))
        atomic_store_explicit(&c->in_flight, 0, memory_order_release);
    if (!c->pending.site) return;
    const conflict *two = &c->pending;
    if (memcmp(c->before, (const void *)two->address, compared(two->bytes)) != 0) report(c, two);
    c->pending.site = NULL;
}

/* ---- accesses ---- */

static bool is_strong(unsigned strength, bool shared)
{
    return strength == CPU_ACCESS_ATOMIC || strength == CPU_ACCESS_BLOCK_ATOMIC ||
           (strength == CPU_ACCESS_VOLATILE && !shared);
}

/* An access as it is compared with those that a byte remembers. */
typedef struct attempt {
    race_stamp now;
    uintptr_t address;
    bool writes, strong, shared;
} attempt;

static bool is_ordered(racecheck *c, const race_stamp *stamp, const attempt *a)
{
    return stamp->when == 0 || (a->shared && stamp->block != a->now.block) ||
           race_is_ordered(c->order, stamp, a->now.thread, a->address);
}

static bool same_warp(const race_stamp *a, const race_stamp *b)
{
    return a->block == b->block && a->thread / CPU_WARP_LANES == b->thread / CPU_WARP_LANES;
}

/* Whether two accesses, each of them atomic or volatile, may meet. */
static bool may_meet(const race_stamp *stamp, const attempt *a)
{
    if (stamp->when == 0) return true;
    const cpu_strength own = a->now.strength, other = stamp->strength;
    if (own == CPU_ACCESS_VOLATILE && other == CPU_ACCESS_VOLATILE) return !same_warp(stamp, &a->now);
    if (own == CPU_ACCESS_BLOCK_ATOMIC || other == CPU_ACCESS_BLOCK_ATOMIC) return stamp->block == a->now.block;
    return true;
}

/* The earlier access with which this one races; NULL if there is none. */
static const race_stamp *find_race(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    for (race_slot slot = 0; slot < RACE_SLOTS; slot++) {
        const bool is_read = slot >= RACE_STRONG_READ;
        const bool slot_is_strong = slot == RACE_STRONG_WRITE || slot == RACE_STRONG_READ;
        if (!page->slot[slot] || (is_read && !a->writes)) continue;
        const race_stamp *stamp = &page->slot[slot][i];
        if (slot_is_strong && a->strong && may_meet(stamp, a)) continue;
        if (!is_ordered(c, stamp, a)) return stamp;
    }
    return NULL;
}

/* Two readers of different warps stay, where there are such: whoever writes then races with one of them. */
static void remember_read(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    race_stamp *first = race_shadow_slot(page, RACE_PLAIN_READ);
    if (!first) return;
    race_stamp *other = page->slot[RACE_OTHER_READ];
    if (is_ordered(c, &first[i], a)) {
        first[i] = a->now;
        if (other && is_ordered(c, &other[i], a)) other[i] = (race_stamp){0};
        return;
    }
    other = race_shadow_slot(page, RACE_OTHER_READ);
    if (other && (is_ordered(c, &other[i], a) || (same_warp(&first[i], &other[i]) && !same_warp(&first[i], &a->now))))
        other[i] = a->now;
}

/* An atomic access does not replace one that it does not follow: a plain access may meet either. */
static void remember(racecheck *c, race_page *page, size_t i, const attempt *a)
{
    const race_slot slot = a->writes   ? a->strong ? RACE_STRONG_WRITE : RACE_PLAIN_WRITE
                           : a->strong ? RACE_STRONG_READ
                                       : RACE_PLAIN_READ;
    if (slot == RACE_PLAIN_READ) {
        remember_read(c, page, i, a);
        return;
    }
    race_stamp *stamps = race_shadow_slot(page, slot);
    if (stamps && (slot == RACE_PLAIN_WRITE || is_ordered(c, &stamps[i], a))) stamps[i] = a->now;
}

/* The part of an access that lies in one page. */
static void access_page(racecheck *c, conflict *found, const attempt *a, uintptr_t address, size_t bytes)
{
    race_page *page = race_shadow_hold(c->shadow, &c->recent, address, bytes);
    if (!page) return;
    const size_t first = address % RACE_PAGE_BYTES / page->grain, end = first + bytes / page->grain;
    for (size_t i = first; i < end; i++) {
        const race_stamp *earlier = found->site ? NULL : find_race(c, page, i, a);
        if (earlier) {
            found->earlier = *earlier;
            found->site = site_of(c, &a->now);
            found->again = a->now.again;
        }
        remember(c, page, i, a);
    }
    race_shadow_leave(page);
}

void racecheck_access(racecheck *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, bool shared)
{
    settle(c);
    attempt a = {.now = race_now(c->order, thread),
                 .address = address,
                 .writes = site->kind != CPU_SITE_READ,
                 .strong = is_strong(site->strength, shared),
                 .shared = shared};
    conflict found = {.thread = thread, .address = address, .bytes = bytes};
    a.now.site = site_number(c, site);
    a.now.strength = (uint8_t)site->strength;
    a.now.again = c->deepest[thread] > site->line;
    if (a.writes && !shared) atomic_store(&c->in_flight, address);
    for (size_t done = 0, part; done < bytes; done += part) {
        const size_t left = RACE_PAGE_BYTES - (address + done) % RACE_PAGE_BYTES;
        part = bytes - done < left ? bytes - done : left;
        access_page(c, &found, &a, address + done, part);
    }
    if (c->deepest[thread] < site->line) c->deepest[thread] = site->line;
    if (a.strong && a.writes) race_publish(c->order, thread, address, site->strength == CPU_ACCESS_BLOCK_ATOMIC);
    if (!found.site) return;
    if (site->kind == CPU_SITE_WRITE && site_of(c, &found.earlier)->kind == CPU_SITE_WRITE) {
        if (!shared && is_in_flight(c, address, bytes)) return;
        c->pending = found;
        memcpy(c->before, (const void *)address, compared(bytes));
    } else {
        report(c, &found);
    }
}

/* ---- synchronisation ---- */

void racecheck_begin(racecheck *c, uint64_t block)
{
    c->block = block;
    memset(c->deepest, 0, kernel_block_threads(c->shape) * sizeof *c->deepest);
    race_begin(c->order, (uint32_t)block, kernel_block_threads(c->shape));
}

void racecheck_end(racecheck *c) { settle(c); }

void racecheck_accessed(racecheck *c, unsigned thread, uintptr_t address)
{
    settle(c);
    race_acquire(c->order, thread, address);
}

void racecheck_fence(racecheck *c, unsigned thread, bool for_block)
{
    settle(c);
    race_pass_fence(c->order, thread, for_block);
}

void racecheck_barrier(racecheck *c)
{
    settle(c);
    memset(c->deepest, 0, kernel_block_threads(c->shape) * sizeof *c->deepest);
    race_pass_barrier(c->order);
}

void racecheck_warp(racecheck *c, unsigned warp, uint32_t lanes)
{
    settle(c);
    race_pass_warp(c->order, warp, lanes);
}
