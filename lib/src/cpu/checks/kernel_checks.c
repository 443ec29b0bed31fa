/* Races have a file of their own; the other two checks are short. */
#include "kernel_checks.h"

#include "cpu/builtins/wait_name.h"
#include "cpu/kernel/warp.h"
#include "barrier_ways.h"
#include "exchange.h"
#include "findings.h"
#include "followed.h"
#include "racecheck.h"
#include "seam/checks.h"
#include "seam/ledger.h"
#include "seam/written.h"
#include "shared_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kernel_checks_launch {
    findings *found;
    racecheck_launch *races; /* NULL if that check is off */
    exchange_launch *passed; /* likewise */
};

struct kernel_checks {
    const cpu_kernel *kernel;
    const cpu_launch *shape;
    memcheck_scene scene;
    findings *found;
    racecheck *races;   /* NULL if that check is off */
    barrier_ways *ways; /* likewise */
    shuffled *shuffled; /* likewise */
    exchange *passed;   /* likewise */
    bool unwritten;     /* whether that check is on */
    shared_memory shared;
    followed *followed; /* NULL if nothing is */
    uint64_t block;
    kernel_watch watch;
};

/* ---- launches ---- */

bool kernel_checks_need_accesses(void)
{
    return kernel_check_is_on(KERNEL_CHECK_RACES) || kernel_check_is_on(KERNEL_CHECK_UNWRITTEN) ||
           kernel_check_is_on(KERNEL_CHECK_EXCHANGE);
}

kernel_checks_launch *kernel_checks_launch_create(void)
{
    const bool any = kernel_checks_need_accesses() || kernel_check_is_on(KERNEL_CHECK_BARRIERS);
    kernel_checks_launch *launch = any ? calloc(1, sizeof *launch) : NULL;
    if (!launch) return NULL;
    const bool races = kernel_check_is_on(KERNEL_CHECK_RACES), passed = kernel_check_is_on(KERNEL_CHECK_EXCHANGE);
    launch->found = findings_create();
    launch->races = races ? racecheck_launch_create() : NULL;
    launch->passed = passed ? exchange_launch_create() : NULL;
    if (launch->found && (launch->races || !races) && (launch->passed || !passed)) return launch;
    kernel_checks_launch_free(launch);
    return NULL;
}

void kernel_checks_launch_free(kernel_checks_launch *launch)
{
    if (!launch) return;
    racecheck_launch_free(launch->races);
    exchange_launch_free(launch->passed);
    findings_free(launch->found);
    free(launch);
}

bool kernel_checks_report(kernel_error *error, const kernel_checks_launch *launch, const cpu_kernel *kernel,
                          const cpu_launch *shape)
{
    if (launch && launch->races) racecheck_launch_end(launch->races, shape);
    if (launch && launch->passed) exchange_launch_end(launch->passed, launch->found);
    return launch && findings_report(error, launch->found, kernel);
}

/* ---- findings ---- */

/* Opens a finding about one line, with its place filled in. */
static finding *open_finding(kernel_checks *c, cpu_failure_kind kind, const char *file, const char *function,
                             unsigned line, unsigned thread)
{
    finding key = {.kind = kind, .file = file, .function = function, .line = line, .block = c->block};
    kernel_block_index(key.block_index, c->block, c->shape);
    kernel_thread_index(key.thread, thread, c->shape);
    return findings_open(c->found, &key);
}

/* ---- reads of what nothing has written ---- */

/* Whether the memory still is what it was at the launch. If a pool has handed it out again since then, what is known of
 * its bytes belongs to the next owner. */
static bool is_still_the_same(const kernel_checks *c, uintptr_t address, size_t bytes)
{
    ledger_entry then;
    return ledger_find(&then, address, bytes, c->scene.ledger_count) == LEDGER_USABLE && then.died == UINT64_MAX;
}

/* A value that is used in another line than it is read has that line too. */
static void report_unwritten(kernel_checks *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site,
                             unsigned used)
{
    char place[512], use[64] = "";
    finding *out = open_finding(c, CPU_FAILURE_UNWRITTEN, site->file, site->function, site->line, thread);
    if (!out) return;
    if (used && used != site->line) snprintf(use, sizeof use, ", and uses the value at line %u", used);
    if (site->space == CPU_SPACE_LOCAL) {
        snprintf(out->what, sizeof out->what, "reads a local variable, to which nothing has given a value%s", use);
        findings_close(c->found);
        return;
    }
    memcheck_name(place, sizeof place, c->kernel, address, bytes, &c->scene);
    snprintf(out->what, sizeof out->what, "%s %zu byte%s, %s, which nothing has written%s",
             site->kind == CPU_SITE_READ ? "reads" : "atomically updates", bytes, bytes == 1 ? "" : "s", place, use);
    findings_close(c->found);
}

/* A copied structure may have bytes that are not in use: only one without any written byte is a finding. */
static void check_written(kernel_checks *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site,
                          const cpu_window *shared)
{
    const uintptr_t offset = shared ? address - shared->address : 0;
    const bool is_known = shared && shared->written && bytes <= shared->bytes - offset;
    unsigned char *is_written = is_known ? shared->written + offset : NULL;
    if (site->kind != CPU_SITE_WRITE) {
        const size_t missing = is_written ? written_unset(is_written, bytes)
                               : shared   ? 0
                                          : written_missing(address, bytes);
        const bool is_bad = site->strength == CPU_ACCESS_COPY ? missing == bytes : missing > 0 && !site->followed;
        if (missing > 0 && c->races) racecheck_forget_reads(c->races, address, bytes);
        if (is_bad && (shared || is_still_the_same(c, address, bytes)))
            report_unwritten(c, thread, address, bytes, site, 0);
    }
    if (site->kind == CPU_SITE_READ) return;
    if (is_written) written_set(is_written, bytes);
    if (!shared && written_missing(address, bytes) > 0) written_note(address, bytes, c->scene.ledger_count);
}

/* Notes of the bytes' writing, from the address on; NULL if they are not known to be shared memory. */
static unsigned char *find_written(const kernel_checks *c, uintptr_t address, size_t bytes)
{
    const cpu_window *shared = shared_memory_at(&c->shared, address);
    const uintptr_t offset = shared ? address - shared->address : 0;
    return shared && shared->written && bytes <= shared->bytes - offset ? shared->written + offset : NULL;
}

unsigned kernel_checks_unwritten(kernel_checks *c, unsigned thread, uintptr_t address, size_t bytes,
                                 const cpu_site *site)
{
    const bool is_local = site->space == CPU_SPACE_LOCAL;
    const unsigned char *is_written = is_local ? NULL : find_written(c, address, bytes);
    if (!c->followed || (is_local ? !c->unwritten : !is_written || written_unset(is_written, bytes) == 0)) return 0;
    return followed_add(c->followed,
                        &(followed_source){.site = site, .address = address, .bytes = bytes, .thread = thread});
}

/* ---- shuffles ---- */

/* Whether a lane that reads from one without a defined value is a mistake. Of a shuffle down or up with a mask of some
 * lanes, those at one end get values that a reduction does not use: there only the lane at the other end counts. */
static bool is_mistake(const cpu_wait *wait, unsigned lane, uint32_t lanes, uint32_t defined)
{
    const unsigned lowest = (unsigned)__builtin_ctz(lanes), highest = 31 - (unsigned)__builtin_clz(lanes);
    unsigned source;
    if (!cpu_warp_source(&source, wait, lane) || defined >> source & 1) return false;
    if (wait->kind == CPU_WAIT_SHUFFLE_DOWN) return lane == lowest;
    return wait->kind != CPU_WAIT_SHUFFLE_UP || lane == highest;
}

/* A lane gets an undefined value of another, which takes part or not; `use` says what it does with it. */
static void report_shuffle(kernel_checks *c, const cpu_wait *wait, unsigned thread, unsigned source, bool takes_part,
                           const char *use)
{
    const bool named = wait->mask >> source & 1;
    char mask[16] = "";
    finding *out = open_finding(c, CPU_FAILURE_BARRIER, wait->file, "", wait->line, thread);
    if (!out) return;
    if (!named) snprintf(mask, sizeof mask, " 0x%08x", wait->mask);
    snprintf(out->what, sizeof out->what, "lane %u gets an undefined value from %s: lane %u %s%s%s",
             thread % CPU_WARP_LANES, cpu_wait_name(wait->kind), source,
             takes_part ? "has made its value from that of a lane that takes no part"
             : named    ? "has exited or never existed"
                        : "is not in the mask",
             mask, use);
    findings_close(c->found);
}

/* Shuffles whose results are followed to their use are judged there. */
static void check_shuffle(kernel_checks *c, unsigned warp, uint32_t lanes, cpu_wait *const wait[])
{
    const uint32_t defined = lanes & ~shuffled_pass(c->shuffled, warp, lanes, wait);
    for (unsigned lane = 0; lane < CPU_WARP_LANES; lane++) {
        unsigned source;
        const unsigned thread = warp * CPU_WARP_LANES + lane;
        if (!(lanes >> lane & 1) || (c->followed && followed_brings(c->followed, thread)) ||
            !is_mistake(wait[lane], lane, lanes, defined))
            continue;
        const bool takes_part = cpu_warp_source(&source, wait[lane], lane) && lanes >> source & 1;
        report_shuffle(c, wait[lane], thread, source, takes_part, "");
    }
    if (c->followed) followed_pass(c->followed, warp, lanes, wait);
}

bool kernel_checks_follow_shuffles(const kernel_checks *c) { return c->followed && c->shuffled; }

/* Without that check nobody looks at shuffles: what is brought there is used. */
void kernel_checks_brings(kernel_checks *c, unsigned thread, unsigned source)
{
    if (kernel_checks_follow_shuffles(c))
        followed_bring(c->followed, thread, source);
    else if (source)
        kernel_checks_used(c, thread, source, 0, true);
}

unsigned kernel_checks_gets(const kernel_checks *c, unsigned thread) { return followed_got(c->followed, thread); }

/* ---- uses of values that are followed ---- */

static void report_use(kernel_checks *c, const followed_source *source, unsigned thread, unsigned line)
{
    char use[80];
    if (source->site) {
        report_unwritten(c, source->thread, source->address, source->bytes, source->site, line);
        return;
    }
    snprintf(use, sizeof use, ", and lane %u uses it at line %u", thread % CPU_WARP_LANES, line);
    report_shuffle(c, &source->wait, source->thread, source->from, false, use);
}

void kernel_checks_used(kernel_checks *c, unsigned thread, unsigned number, unsigned line, bool hands_on)
{
    if (hands_on && followed_is_local(c->followed, number)) return;
    const followed_source *source = followed_use(c->followed, number);
    if (source) report_use(c, source, thread, line);
}

/* Only what is not written may be put into shared memory without being used. */
void kernel_checks_holds(kernel_checks *c, unsigned thread, uintptr_t address, size_t bytes, unsigned number,
                         unsigned line)
{
    unsigned char *is_written = find_written(c, address, bytes);
    ledger_entry then;
    if (c->unwritten && is_written)
        memset(is_written, 0, bytes);
    else
        kernel_checks_used(c, thread, number, line,
                           ledger_find(&then, address, bytes, c->scene.ledger_count) != LEDGER_USABLE);
}

/* ---- barriers and warp functions that threads pass by ---- */

/* Opens a finding about the barrier, which `thread` has passed by or come to in another round than `other`. */
static finding *open_barrier(kernel_checks *c, const kernel_place *place, unsigned thread)
{
    return open_finding(c, CPU_FAILURE_BARRIER, place->file, "", place->line, thread);
}

static void check_barrier(kernel_checks *c, const kernel_place *place)
{
    unsigned waiting, other, index[3];
    const barrier_fault fault = barrier_ways_pass(&waiting, &other, c->ways);
    finding *out = fault == BARRIER_RIGHT ? NULL : open_barrier(c, place, other);
    if (!out) return;
    kernel_thread_index(index, waiting, c->shape);
    snprintf(out->what, sizeof out->what,
             fault == BARRIER_PASSED_BY
                 ? "passes by this %s() without having returned, while thread [%u,%u,%u] waits at "
                   "it: either all threads of a block come to a barrier, or none"
                 : "comes to this %s() in another round than thread [%u,%u,%u]: either all "
                   "threads of a block come to a barrier, or none",
             cpu_wait_name(place->kind), index[0], index[1], index[2]);
    findings_close(c->found);
}

/* Lanes that the mask names, and that have exited, may have passed by the function at which the others are. */
static void check_warp(kernel_checks *c, unsigned warp, uint32_t lanes, cpu_wait *const wait[])
{
    const unsigned base = warp * CPU_WARP_LANES, first = (unsigned)__builtin_ctz(lanes);
    const cpu_wait *own = wait[first];
    const kernel_place place = {own->file, own->line, own->kind};
    const unsigned left = kernel_block_threads(c->shape) - base;
    for (unsigned lane = 0; lane < CPU_WARP_LANES && lane < left && own->kind != CPU_WAIT_ACTIVEMASK; lane++) {
        if (lanes >> lane & 1 || !(own->mask >> lane & 1)) continue;
        if (!barrier_ways_passed_by(c->ways, base + lane, base + first)) continue;
        finding *out = open_barrier(c, &place, base + lane);
        if (!out) continue;
        snprintf(
            out->what, sizeof out->what,
            "passes by this %s() without having returned, while lane %u waits at it: the mask 0x%08x names lane %u",
            cpu_wait_name(place.kind), first, own->mask, lane);
        findings_close(c->found);
    }
}

/* ---- blocks ---- */

static void pass_barrier(void *user, const kernel_place *place)
{
    kernel_checks *c = user;
    if (c->ways) check_barrier(c, place);
    if (c->races) racecheck_barrier(c->races);
    if (c->passed) exchange_wait(c->passed, 0, place);
}

static void note_exit(void *user, unsigned thread)
{
    kernel_checks *c = user;
    if (c->ways) barrier_ways_exit(c->ways, thread);
}

/* Of the warp's operations only __syncwarp orders memory. */
static void pass_warp(void *user, unsigned warp, uint32_t lanes, cpu_wait *const wait[])
{
    kernel_checks *c = user;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    const cpu_wait_kind kind = wait[first]->kind;
    const kernel_place place = {wait[first]->file, wait[first]->line, kind};
    if (c->passed) exchange_wait(c->passed, warp * CPU_WARP_LANES + first, &place);
    if (c->races && kind == CPU_WAIT_SYNCWARP) racecheck_warp(c->races, warp, lanes);
    if (c->shuffled && kind >= CPU_WAIT_SHUFFLE && kind <= CPU_WAIT_SHUFFLE_XOR) check_shuffle(c, warp, lanes, wait);
    if (c->ways) check_warp(c, warp, lanes, wait);
}

kernel_checks *kernel_checks_create(kernel_checks_launch *launch, const cpu_kernel *kernel, const memcheck_scene *scene,
                                    const cpu_launch *shape, const void *const *args)
{
    kernel_checks *c = launch ? calloc(1, sizeof *c) : NULL;
    if (!c) return NULL;
    *c = (kernel_checks){.kernel = kernel,
                         .shape = shape,
                         .scene = *scene,
                         .found = launch->found,
                         .unwritten = kernel_check_is_on(KERNEL_CHECK_UNWRITTEN),
                         .watch = {.barrier = pass_barrier, .user = c}};
    if (launch->races) c->races = racecheck_create(launch->races, launch->found, kernel, scene, shape, args);
    if (launch->passed) c->passed = exchange_create(launch->passed, launch->found, kernel, scene, shape);
    if (kernel_check_is_on(KERNEL_CHECK_BARRIERS) && kernel->suspends) {
        c->ways = barrier_ways_create();
        c->shuffled = shuffled_create();
    }
    if (c->unwritten || c->shuffled) c->followed = followed_create();
    if (c->ways) c->watch.exited = note_exit;
    if (c->races || c->passed || c->ways) c->watch.warp = pass_warp;
    c->watch.syncwarps_alone = !c->passed && !c->ways;
    shared_memory_read(&c->shared, kernel, scene->dynamic_shared);
    return c;
}

void kernel_checks_free(kernel_checks *c)
{
    if (!c) return;
    racecheck_free(c->races);
    exchange_free(c->passed);
    barrier_ways_free(c->ways);
    shuffled_free(c->shuffled);
    followed_free(c->followed);
    shared_memory_free(&c->shared);
    free(c);
}

void kernel_checks_begin(kernel_checks *c, uint64_t block)
{
    c->block = block;
    if (c->races) racecheck_begin(c->races, block);
    if (c->passed) exchange_begin(c->passed, block);
    if (c->ways) barrier_ways_begin(c->ways, kernel_block_threads(c->shape));
    if (c->shuffled) shuffled_begin(c->shuffled, kernel_block_threads(c->shape));
    if (c->followed) followed_begin(c->followed, kernel_block_threads(c->shape));
    if (c->unwritten) shared_memory_begin(&c->shared);
}

void kernel_checks_end(kernel_checks *c)
{
    if (c->races) racecheck_end(c->races);
    if (c->passed) exchange_end(c->passed);
}

void kernel_checks_access(kernel_checks *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    const cpu_window *shared = shared_memory_at(&c->shared, address);
    if (c->races) racecheck_access(c->races, thread, address, bytes, site, shared);
    if (site->strength > CPU_ACCESS_BLOCK_ATOMIC) return; /* a mark: the access itself follows */
    if (c->passed) exchange_access(c->passed, thread, address, bytes, site, shared);
    if (c->unwritten) check_written(c, thread, address, bytes, site, shared);
}

cpu_known_accesses *kernel_checks_known(kernel_checks *c)
{
    const bool lists_all = c->shared.count > 0 && c->shared.count < SHARED_VARIABLES;
    if (!c->races || c->passed) return NULL;
    if (!c->unwritten) racecheck_keep_reads(c->races);
    if (lists_all && !c->unwritten) racecheck_keep_words(c->races, c->shared.begin, c->shared.end - c->shared.begin);
    return racecheck_known(c->races);
}

bool kernel_checks_window(cpu_window *memory, const kernel_checks *c)
{
    if (c->races || c->passed || memory->bytes == 0) return false;
    const cpu_window *shared = shared_memory_at(&c->shared, memory->address);
    if (!shared && ledger_freed_since(memory->address, memory->bytes, c->scene.ledger_count)) return true;
    if (!shared) return written_find(&memory->written, memory->address, memory->bytes);
    *memory = *shared;
    return true;
}

void kernel_checks_accessed(kernel_checks *c, unsigned thread, uintptr_t address)
{
    if (c->races) racecheck_accessed(c->races, thread, address);
}

void kernel_checks_fence(kernel_checks *c, unsigned thread, unsigned which)
{
    if (!c->races) return;
    if (which >= CPU_FENCE_COMMIT)
        racecheck_copies(c->races, thread, which);
    else
        racecheck_fence(c->races, thread, which == CPU_FENCE_BLOCK);
}

void kernel_checks_way(kernel_checks *c, unsigned thread, unsigned meeting, bool met)
{
    if (c->ways) barrier_ways_mark(c->ways, thread, meeting, met);
}

const kernel_watch *kernel_checks_watch(const kernel_checks *c)
{
    return c->races || c->passed || c->ways ? &c->watch : NULL;
}
