/* Who has written a byte is kept as racecheck keeps accesses; what the launch has read, as for the order checker. */
#include "exchange.h"

#include "cpu/builtins/wait_name.h"
#include "cpu/kernel/kernel_blocks.h"
#include "cpu/races/race_shadow.h"
#include "seam/checks.h"
#include "touched.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a thread may read besides twice its share: a few numbers, for launches with fewer numbers than threads. */
enum { MOST_THREADS = 1024, FREE_BYTES = 64 };

/* The votes of a thread in a block that are no finding: masks for shuffles are made of them. A number needs one a bit.
 */
enum { FEW_VOTES = 4 };

/* A tree takes two values in each of its rounds, at most ten for a block; a last step may take those of all threads. A
 * thread that combines what the others have loaded, again and again, takes one for each of them. */
enum { ROUNDS_BYTES = 32, LAST_STEP_BYTES = 16 };

/* What a thread has read outside shared memory, or there, and where the last time. */
typedef struct share {
    uint64_t bytes, block;
    unsigned thread;
    const cpu_site *site;
} share;

struct exchange_launch {
    race_shadow *writers;
    touched *reads;
    pthread_mutex_t lock; /* guards what follows */
    share most, combined; /* of all threads, the first with so many bytes, outside shared memory and there */
    cpu_launch shape;
};

struct exchange {
    exchange_launch *launch;
    race_recent recent;
    touched_recent recent_reads;
    findings *found;
    const cpu_kernel *kernel;
    memcheck_scene scene;
    const cpu_launch *shape;
    uint64_t block;
    share share[MOST_THREADS], combined[MOST_THREADS];
    unsigned char votes[MOST_THREADS];
};

/* ---- making ---- */

exchange_launch *exchange_launch_create(void)
{
    exchange_launch *launch = calloc(1, sizeof *launch);
    if (!launch) return NULL;
    pthread_mutex_init(&launch->lock, NULL);
    launch->writers = race_shadow_create();
    launch->reads = touched_create();
    if (launch->writers && launch->reads) return launch;
    exchange_launch_free(launch);
    return NULL;
}

void exchange_launch_free(exchange_launch *launch)
{
    if (!launch) return;
    race_shadow_free(launch->writers);
    touched_free(launch->reads);
    pthread_mutex_destroy(&launch->lock);
    free(launch);
}

exchange *exchange_create(exchange_launch *launch, findings *found, const cpu_kernel *kernel,
                          const memcheck_scene *scene, const cpu_launch *shape)
{
    exchange *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->launch = launch;
    c->found = found;
    c->kernel = kernel;
    c->scene = *scene;
    c->shape = shape;
    pthread_mutex_lock(&launch->lock);
    launch->shape = *shape;
    pthread_mutex_unlock(&launch->lock);
    return c;
}

void exchange_free(exchange *c) { free(c); }

/* ---- findings ---- */

static const char *allowed(void)
{
    return kernel_check_is_on(KERNEL_CHECK_SHUFFLES) ? "by shuffles alone" : "through shared memory or by shuffles";
}

/* Opens a finding about a line, with its place filled in. */
static finding *open_finding(findings *found, const cpu_launch *shape, uint64_t block, unsigned thread,
                             const char *file, const char *function, unsigned line)
{
    finding key = {.kind = CPU_FAILURE_EXCHANGE, .file = file, .function = function, .line = line, .block = block};
    kernel_block_index(key.block_index, block, shape);
    kernel_thread_index(key.thread, thread, shape);
    return findings_open(found, &key);
}

/* An access that passes a value on in another way; `who` says by whom the memory was written, if that is what counts.
 */
static void report(exchange *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, const char *who)
{
    static const char *const does[] = {
        [CPU_SITE_READ] = "reads", [CPU_SITE_WRITE] = "writes", [CPU_SITE_ATOMIC] = "atomically updates"};
    char place[512];
    finding *out = open_finding(c->found, c->shape, c->block, thread, site->file, site->function, site->line);
    if (!out) return;
    memcheck_name(place, sizeof place, c->kernel, address, bytes, &c->scene);
    snprintf(out->what, sizeof out->what, "%s %zu byte%s, %s%s: threads pass values on %s", does[site->kind], bytes,
             bytes == 1 ? "" : "s", place, who, allowed());
    findings_close(c->found);
}

/* ---- memory ---- */

/* The part of an access that lies in one page. Returns a write by another thread that it meets, with `when` 0 if there
 * is none. */
static race_stamp access_page(exchange *c, const race_stamp *now, uintptr_t address, size_t bytes, cpu_site_kind kind)
{
    race_stamp found = {0};
    race_page *page = race_shadow_hold(c->launch->writers, &c->recent, address, bytes);
    if (!page) return found;
    race_stamp *writer =
        kind == CPU_SITE_READ ? race_shadow_stamps(page, RACE_PLAIN_WRITE) : race_shadow_slot(page, RACE_PLAIN_WRITE);
    const size_t first = (address % RACE_PAGE_BYTES) >> page->shift, end = first + (bytes >> page->shift);
    for (size_t i = first; writer && i < end; i++) {
        const bool others = writer[i].when && (writer[i].block != now->block || writer[i].thread != now->thread);
        if (kind != CPU_SITE_WRITE && others) found = writer[i];
        if (kind != CPU_SITE_READ) writer[i] = *now;
    }
    race_shadow_leave(page, address, bytes);
    return found;
}

static void add_read(share *own, const exchange *c, unsigned thread, size_t bytes, const cpu_site *site)
{
    *own = (share){own->bytes + bytes, c->block, thread, site};
}

void exchange_access(exchange *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site, bool shared)
{
    if (shared) {
        if (kernel_check_is_on(KERNEL_CHECK_SHUFFLES)) report(c, thread, address, bytes, site, "");
        if (site->kind != CPU_SITE_WRITE) add_read(&c->combined[thread], c, thread, bytes, site);
        return;
    }
    const race_stamp now = {.block = (uint32_t)c->block, .when = 1, .thread = (uint16_t)thread};
    race_stamp met = {0};
    for (size_t done = 0, part; done < bytes; done += part) {
        const size_t left = RACE_PAGE_BYTES - (address + done) % RACE_PAGE_BYTES;
        part = bytes - done < left ? bytes - done : left;
        const race_stamp here = access_page(c, &now, address + done, part, site->kind);
        if (here.when) met = here;
    }
    if (site->kind != CPU_SITE_WRITE) {
        touched_note(c->launch->reads, &c->recent_reads, address, bytes, CPU_SITE_READ);
        add_read(&c->share[thread], c, thread, bytes, site);
    }
    if (!met.when) return;
    char writer[96], who[128];
    findings_write_thread(writer, sizeof writer, met.thread, met.block, (uint32_t)c->block, c->shape);
    snprintf(who, sizeof who, ", which %s has written", writer);
    report(c, thread, address, bytes, site, who);
}

/* ---- votes ---- */

void exchange_wait(exchange *c, unsigned thread, const kernel_place *place)
{
    const cpu_wait_kind kind = place->kind;
    if (kind == CPU_WAIT_BARRIER || kind == CPU_WAIT_SYNCWARP || kind == CPU_WAIT_ACTIVEMASK) return;
    if (kind >= CPU_WAIT_SHUFFLE && kind <= CPU_WAIT_SHUFFLE_XOR) return;
    if (kind >= CPU_WAIT_ALL && kind <= CPU_WAIT_BALLOT && c->votes[thread] < FEW_VOTES) {
        c->votes[thread]++;
        return;
    }
    finding *out = open_finding(c->found, c->shape, c->block, thread, place->file, "", place->line);
    if (!out) return;
    snprintf(out->what, sizeof out->what, "calls %s(): threads pass values on %s", cpu_wait_name(kind), allowed());
    findings_close(c->found);
}

/* ---- shares ---- */

void exchange_begin(exchange *c, uint64_t block)
{
    c->block = block;
    memset(c->share, 0, kernel_block_threads(c->shape) * sizeof *c->share);
    memset(c->combined, 0, kernel_block_threads(c->shape) * sizeof *c->combined);
    memset(c->votes, 0, sizeof c->votes);
}

static bool reads_more(const share *a, const share *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->block < b->block;
}

static void keep_most(share *kept, const share *own, unsigned threads)
{
    for (unsigned t = 0; t < threads; t++)
        if (reads_more(&own[t], kept)) *kept = own[t];
}

void exchange_end(exchange *c)
{
    const unsigned threads = kernel_block_threads(c->shape);
    pthread_mutex_lock(&c->launch->lock);
    keep_most(&c->launch->most, c->share, threads);
    keep_most(&c->launch->combined, c->combined, threads);
    pthread_mutex_unlock(&c->launch->lock);
}

void exchange_launch_end(const exchange_launch *launch, findings *found)
{
    const cpu_launch *shape = &launch->shape;
    const share *most = &launch->most, *combined = &launch->combined;
    const uint64_t blocks = (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2];
    const uint64_t block = kernel_block_threads(shape), threads = blocks * block;
    const uint64_t all = touched_bytes_read(launch->reads), own = all / threads, last_step = LAST_STEP_BYTES * block;
    const bool reads_others = most->bytes > FREE_BYTES && (most->bytes - FREE_BYTES) / 2 > own;
    const bool combines_others =
        combined->bytes > last_step + FREE_BYTES && (combined->bytes - last_step - FREE_BYTES) / ROUNDS_BYTES > own;
    if (!reads_others && !combines_others) return;
    const share *who = reads_others ? most : combined;
    finding *out =
        open_finding(found, shape, who->block, who->thread, who->site->file, who->site->function, who->site->line);
    if (!out) return;
    snprintf(out->what, sizeof out->what,
             "reads %" PRIu64 " bytes of %s memory, and all %" PRIu64 " threads read %" PRIu64
             " different ones of global memory: each thread %s its share",
             who->bytes, reads_others ? "global" : "shared", threads, all, reads_others ? "reads" : "combines");
    findings_close(found);
}
