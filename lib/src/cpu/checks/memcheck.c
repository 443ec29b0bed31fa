/* Each run of blocks remembers the memory that it has found: memory that was usable at the launch is usable until the
 * kernel's end. Each site in the code has a window of its own, which the code looks at before it asks. */
#include "memcheck.h"

#include "cpu/kernel/fiber.h"
#include "cpu/kernel/grid.h"
#include "cpu/kernel/kernel_heap.h"
#include "cpu/kernel/kernel_signals.h"
#include "cpu/kernel/split_blocks.h"
#include "kernel_checks.h"
#include "memcheck_text.h"
#include "seam/checks.h"
#include "seam/ledger.h"
#include "seam/written.h"
#include "touched.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MET = 32, RECENT = 8, NEW_ACCESSES = 16, FEW = 8, MORE = 16, SAMPLES_A_LINE = 256 };

/* Code on a thread's own stack that does not return, where the sanitizers must not look: see fiber.c. */
#define ON_FIBER __attribute__((no_sanitize("address", "thread")))

/* Memory that accesses have met. */
typedef struct met_memory {
    cpu_window memory;
    bool offers; /* whether nothing but what is written must be noted of accesses */
} met_memory;

/* A run of blocks on a host thread; cpu_launch.checker. */
typedef struct checker {
    const cpu_kernel *kernel;
    const struct backend_context *context;
    size_t dynamic_shared;
    uint64_t ledger_count;           /* at the launch */
    uintptr_t stack_end;             /* local variables lie below; 0 if the threads have stacks of their own */
    cpu_window window[CPU_WINDOWS];  /* cpu_launch.window */
    met_memory met[MET];             /* a ring */
    unsigned char last[CPU_WINDOWS]; /* the place of a site's memory in the ring, as far as that is known */
    unsigned next;                   /* place in the ring */
    bool refused;                    /* the thread ended at a bad access */
    unsigned thread;                 /* which did so, if it has no stack of its own */
    kernel_error *error;             /* describes the end of a thread without a stack of its own; NULL if not wanted */
    jmp_buf back;                    /* where such a thread ends */
    kernel_checks *checks;           /* the checks besides this one; NULL if none is on */
    bool notes;                      /* whether accesses are noted, by those checks or as touched */
    touched *touched;                /* NULL if nobody asks what the blocks read and write */
    touched_recent last_touched;
    uintptr_t recent[RECENT]; /* addresses of accesses, of which others are new */
    unsigned news, samples;   /* new accesses, of those that were looked at */
    unsigned left;            /* accesses before the next that is looked at */
} checker;

/* ---- peers ---- */

typedef struct peer_pair {
    const struct backend_context *context, *peer;
} peer_pair;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the findings of launches too */
static peer_pair *peers;
static size_t peer_count;

bool cpu_memcheck_set_peer(const struct backend_context *context, const struct backend_context *peer, bool allowed)
{
    if (!ledger_is_kept()) return true;
    pthread_mutex_lock(&lock);
    size_t place = 0;
    while (place < peer_count && (peers[place].context != context || peers[place].peer != peer)) place++;
    peer_pair *larger = allowed && place == peer_count ? realloc(peers, (peer_count + 1) * sizeof *peers) : peers;
    const bool done = larger || !allowed;
    if (larger) peers = larger;
    if (done && allowed && place == peer_count) peers[peer_count++] = (peer_pair){context, peer};
    if (!allowed && place < peer_count) peers[place] = peers[--peer_count];
    pthread_mutex_unlock(&lock);
    return done;
}

void cpu_memcheck_forget_peers(const struct backend_context *context)
{
    pthread_mutex_lock(&lock);
    for (size_t i = peer_count; i > 0; i--)
        if (peers[i - 1].context == context || peers[i - 1].peer == context) peers[i - 1] = peers[--peer_count];
    pthread_mutex_unlock(&lock);
}

bool cpu_memcheck_may_use(const struct backend_context *context, const struct backend_context *owner)
{
    if (!owner || owner == context) return true;
    pthread_mutex_lock(&lock);
    bool is_allowed = false;
    for (size_t i = 0; i < peer_count && !is_allowed; i++)
        is_allowed = peers[i].context == context && peers[i].peer == owner;
    pthread_mutex_unlock(&lock);
    return is_allowed;
}

/* ---- whether an access is allowed ---- */

static bool fits(const cpu_window *window, uintptr_t address, size_t bytes)
{
    const uintptr_t offset = address - window->address;
    return offset < window->bytes && bytes <= window->bytes - offset;
}

/* The memory that holds the bytes, if an access of the same site has met it before, or any access has; else NULL. */
static const met_memory *find_last(const checker *c, uintptr_t address, size_t bytes, const cpu_site *site)
{
    const met_memory *last = &c->met[c->last[site->window]];
    return fits(&last->memory, address, bytes) ? last : NULL;
}

static const met_memory *find_met(checker *c, uintptr_t address, size_t bytes, const cpu_site *site)
{
    for (unsigned i = 0; i < MET; i++) {
        if (!fits(&c->met[i].memory, address, bytes)) continue;
        c->last[site->window] = (unsigned char)i;
        return &c->met[i];
    }
    return NULL;
}

static const met_memory *remember(checker *c, uintptr_t address, size_t bytes)
{
    met_memory *place = &c->met[c->next++ % MET];
    *place = (met_memory){.memory = {.address = address, .bytes = bytes}};
    place->offers = !c->notes || (!c->touched && kernel_checks_window(&place->memory, c->checks));
    return place;
}

/* Lets the code itself decide on the site's accesses to this memory. Where something is noted it gets a part alone: a
 * kernel that gets on comes to others. */
static void offer(checker *c, const cpu_site *site, uintptr_t address, cpu_window window)
{
    enum { PART = 64 * 1024 };
    const uintptr_t part = address / PART * PART, end = window.address + window.bytes;
    if (c->notes && part > window.address) {
        if (window.written) window.written += part - window.address;
        window.address = part;
    }
    if (c->notes && end - part > PART)
        window.bytes = part + PART - window.address;
    else
        window.bytes = end - window.address;
    c->window[site->window] = window;
}

/* Whether each thread of a block has a stack of its own. */
static bool has_stacks(const cpu_kernel *kernel) { return kernel->suspends && !kernel->split; }

/* Local variables: above the caller's frame, and not beyond the thread's stack. */
static bool is_on_stack(const checker *c, const cpu_launch *launch, uintptr_t address, uintptr_t here)
{
    return address >= here && address < (c->stack_end ? c->stack_end : cpu_fiber_stack_end(launch, here));
}

/* cpu_launch.is_local of threads without a stack of their own. */
static bool is_local(const cpu_launch *launch, unsigned long address)
{
    return is_on_stack(launch->checker, launch, address, (uintptr_t)__builtin_frame_address(0)) ||
           cpu_split_blocks_hold(address);
}

/* Whether the bytes are local memory of the thread, which the check was called for from the frame `here`. */
static bool is_own(const checker *c, const cpu_launch *launch, unsigned thread, uintptr_t address, size_t bytes,
                   uintptr_t here)
{
    return is_on_stack(c, launch, address, here) ||
           (c->kernel->split && cpu_split_blocks_hold_for(thread, address, bytes));
}

/* The module's variable that holds the bytes. */
typedef struct variable_search {
    checker *checker;
    uintptr_t address;
    size_t bytes;
    const met_memory *found;
} variable_search;

static void look_at_variable(void *user, const void *address, unsigned long bytes, const char *name, cpu_space space)
{
    variable_search *search = user;
    (void)space;
    if (memcheck_is_dynamic_shared(name)) bytes = search->checker->dynamic_shared;
    const cpu_window window = {.address = (uintptr_t)address, .bytes = bytes};
    if (fits(&window, search->address, search->bytes)) search->found = remember(search->checker, window.address, bytes);
}

/* Whether kernels may access the bytes, and the memory that holds them, unless that is not to be remembered. */
static bool look_up(const met_memory **found, checker *c, uintptr_t address, size_t bytes)
{
    ledger_entry entry;
    const ledger_answer answer = ledger_find(&entry, address, bytes, c->ledger_count);
    if (answer == LEDGER_USABLE && cpu_memcheck_may_use(c->context, entry.owner) &&
        fits(&(cpu_window){.address = entry.address, .bytes = entry.bytes}, address, bytes)) {
        *found = remember(c, entry.address, entry.bytes);
        return true;
    }
    variable_search search = {c, address, bytes, NULL};
    c->kernel->variables(look_at_variable, &search);
    *found = search.found;
    /* Blocks of the heap are not remembered: they may be freed before the checkers of other host threads end. */
    return search.found || answer == LEDGER_UNKNOWN || kernel_heap_holds(address, bytes);
}

/* ---- the checks besides this one ---- */

/* Threads that wait read the same few addresses again and again. The gaps between the accesses that are looked at vary:
 * no loop hides what it does in them. */
static void note_progress(checker *c, uintptr_t address, const cpu_site *site)
{
    c->left = FEW + c->samples++ % MORE;
    if (c->samples % SAMPLES_A_LINE == 0) kernel_progress_note_line(site->file, site->line);
    for (unsigned i = 0; i < RECENT; i++)
        if (c->recent[i] == address) return;
    c->recent[c->news++ % RECENT] = address;
    if (c->news % NEW_ACCESSES == 0) kernel_progress_note();
}

static void note(checker *c, unsigned thread, uintptr_t address, size_t bytes, const cpu_site *site)
{
    if (c->touched && site->space != CPU_SPACE_SHARED)
        touched_note(c->touched, &c->last_touched, address, bytes, site->kind);
    if (c->checks) kernel_checks_access(c->checks, thread, address, bytes, site);
}

/* Whether an access of memory that offers is right, and noted. */
static bool is_noted(const cpu_window *memory, uintptr_t address, size_t bytes, const cpu_site *site)
{
    if (!memory->written) return true;
    unsigned char *written = memory->written + (address - memory->address);
    if (site->kind == CPU_SITE_READ && site->followed) return true;
    if (site->kind != CPU_SITE_WRITE) return written_unset(written, bytes) == 0;
    written_set(written, bytes);
    return true;
}

/* cpu_launch.check */
static bool check(const cpu_launch *launch, unsigned thread, const void *memory, unsigned long bytes,
                  const cpu_site *site)
{
    checker *c = launch->checker;
    const uintptr_t address = (uintptr_t)memory;
    if (bytes == 0) return true;
    if (address & (site->align - 1)) return false;
    const met_memory *found = find_last(c, address, bytes, site);
    if (!found && is_own(c, launch, thread, address, bytes, (uintptr_t)__builtin_frame_address(0))) return true;
    if (!found) found = find_met(c, address, bytes, site);
    if (!found && !look_up(&found, c, address, bytes)) return false;
    if (c->notes && c->left-- == 0) note_progress(c, address, site);
    const bool offers = found && found->offers;
    if (c->notes && !(offers && is_noted(&found->memory, address, bytes, site))) note(c, thread, address, bytes, site);
    if (offers) offer(c, site, address, found->memory);
    return true;
}

/* cpu_launch.accesses */
static void accesses(const cpu_launch *launch, unsigned thread, const void *memory, unsigned long bytes,
                     const cpu_site *site)
{
    checker *c = launch->checker;
    const uintptr_t address = (uintptr_t)memory;
    if (bytes == 0) return;
    if (c->left-- == 0) note_progress(c, address, site);
    note(c, thread, address, bytes, site);
    if (site->space != CPU_SPACE_SHARED || c->touched) return;
    cpu_window window = {.address = address, .bytes = bytes};
    if (kernel_checks_window(&window, c->checks)) offer(c, site, address, window);
}

/* cpu_launch.accessed */
static void accessed(const cpu_launch *launch, unsigned thread, const void *memory)
{
    const checker *c = launch->checker;
    kernel_checks_accessed(c->checks, thread, (uintptr_t)memory);
}

/* cpu_launch.fence */
static void fence(const cpu_launch *launch, unsigned thread, unsigned which)
{
    const checker *c = launch->checker;
    kernel_checks_fence(c->checks, thread, which);
}

/* cpu_launch.way */
static void way(const cpu_launch *launch, unsigned thread, unsigned meeting, bool met)
{
    const checker *c = launch->checker;
    kernel_checks_way(c->checks, thread, meeting, met);
}

/* cpu_launch.unwritten */
static unsigned unwritten(const cpu_launch *launch, unsigned thread, const void *memory, unsigned long bytes,
                          const cpu_site *site)
{
    const checker *c = launch->checker;
    return kernel_checks_unwritten(c->checks, thread, (uintptr_t)memory, bytes, site);
}

/* cpu_launch.used */
static void used(const cpu_launch *launch, unsigned thread, unsigned source, unsigned line, bool hands_on)
{
    const checker *c = launch->checker;
    kernel_checks_used(c->checks, thread, source, line, hands_on);
}

/* cpu_launch.brings */
static void brings(const cpu_launch *launch, unsigned thread, unsigned source)
{
    const checker *c = launch->checker;
    kernel_checks_brings(c->checks, thread, source);
}

/* cpu_launch.gets */
static unsigned gets(const cpu_launch *launch, unsigned thread)
{
    const checker *c = launch->checker;
    return kernel_checks_gets(c->checks, thread);
}

/* cpu_launch.holds */
static void holds(const cpu_launch *launch, unsigned thread, const void *memory, unsigned long bytes, unsigned source,
                  unsigned line)
{
    const checker *c = launch->checker;
    kernel_checks_holds(c->checks, thread, (uintptr_t)memory, bytes, source, line);
}

/* What the blocks of the launch share in these checks; made for the first of them. */
static kernel_checks_launch *share_checks(cpu_memcheck *memcheck)
{
    pthread_mutex_lock(&lock);
    if (!memcheck->checks) memcheck->checks = kernel_checks_launch_create();
    kernel_checks_launch *shared = memcheck->checks;
    pthread_mutex_unlock(&lock);
    return shared;
}

/* ---- the end of a thread ---- */

/* cpu_launch.refuse */
static ON_FIBER void refuse(const cpu_launch *launch, const cpu_access *access)
{
    checker *c = launch->checker;
    char what[MEMCHECK_WORDS];
    const cpu_site *site = access->site;
    const cpu_failure failure = {
        .kind = memcheck_describe(what, c->kernel, access, &(memcheck_scene){c->ledger_count, c->dynamic_shared}),
        .what = what,
        .file = site->file,
        .function = strcmp(site->function, c->kernel->name) == 0 ? "" : site->function,
        .line = site->line,
        .block = {access->block[0], access->block[1], access->block[2]},
        .thread = {access->thread[0], access->thread[1], access->thread[2]},
    };
    c->refused = true;
    c->thread = kernel_thread_number(access->thread, launch);
    launch->failed(launch, &failure);
}

/* cpu_launch.failed of a thread without a stack of its own. */
static void leave(const cpu_launch *launch, const cpu_failure *failure)
{
    checker *c = launch->checker;
    if (c->error) kernel_error_stopped(c->error, c->kernel, failure);
    longjmp(c->back, 1);
}

/* ---- running ---- */

/* Runs the threads of a block from `first` on, one after another, the last of them included. */
static void run_from(unsigned first, const checker *c, const kernel_blocks *block)
{
    const cpu_launch *launch = block->launch;
    if (first == 0) {
        c->kernel->entry(block->args, launch, block->first, 1);
        return;
    }
    const unsigned threads = kernel_block_threads(launch);
    unsigned index[3], thread[3];
    kernel_block_index(index, block->first, launch);
    for (unsigned each = first; each < threads; each++) {
        kernel_thread_index(thread, each, launch);
        c->kernel->thread_entry(block->args, launch, index, thread);
    }
}

/* Runs the threads of a block one after another. Counts those that ended at a bad access in *refused, and describes the
 * first of them. False if a thread stopped the kernel otherwise, which is described if it is the first to end. */
static bool run_threads(uint64_t *refused, kernel_error *error, checker *c, const kernel_blocks *block)
{
    volatile unsigned first = 0;
    volatile uint64_t ended = 0;
    c->error = error;
    for (;;) {
        c->refused = false;
        cpu_kernel_signals_enter(c->kernel, block->launch);
        if (setjmp(c->back) == 0) {
            run_from(first, c, block);
            break;
        }
        c->error = NULL;
        if (!c->refused) {
            cpu_kernel_signals_leave();
            *refused += ended;
            return false;
        }
        ended++;
        first = c->thread + 1;
    }
    cpu_kernel_signals_leave();
    *refused += ended;
    return true;
}

/* Runs a block whose threads wait for each other, without a stack for each. False, with *error filled in, if one of
 * them has ended otherwise than by itself. */
static bool run_split(kernel_error *error, checker *c, const kernel_blocks *block)
{
    volatile bool done = false;
    c->error = error;
    cpu_kernel_signals_enter(c->kernel, block->launch);
    if (setjmp(c->back) == 0) done = cpu_split_blocks_run(error, block);
    cpu_kernel_signals_leave();
    return done;
}

/* Runs one block of any kernel; threads that wait for each other end together, and count as one. */
static bool run_block(uint64_t *refused, kernel_error *error, checker *c, const kernel_blocks *block)
{
    if (!c->kernel->suspends) return run_threads(refused, error, c, block);
    c->refused = false;
    if (has_stacks(c->kernel) ? cpu_fiber_run(error, block) : run_split(error, c, block)) return true;
    *refused += c->refused;
    return c->refused;
}

/* Keeps the finding of the lowest block, and counts. */
static void keep_finding(cpu_memcheck *memcheck, const kernel_error *error, uint64_t block, uint64_t refused)
{
    pthread_mutex_lock(&lock);
    memcheck->refused += refused;
    if (memcheck->finding.status == LAB_SUCCESS || block < memcheck->block) {
        memcheck->finding = *error;
        memcheck->block = block;
    }
    pthread_mutex_unlock(&lock);
}

/* Counts the blocks that are done. False, with the kernel's finding, if they were the last and something was found. */
static bool end_run(kernel_error *error, cpu_memcheck *memcheck, const kernel_blocks *blocks)
{
    const unsigned *grid = blocks->launch->grid;
    const uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
    pthread_mutex_lock(&lock);
    memcheck->done += blocks->count;
    const bool ends = memcheck->done == total, refused = ends && memcheck->finding.status != LAB_SUCCESS;
    const uint64_t others = refused ? memcheck->refused - 1 : 0;
    if (refused) *error = memcheck->finding;
    const bool fails =
        refused || (ends && kernel_checks_report(error, memcheck->checks, blocks->kernel, blocks->launch));
    if (ends) kernel_checks_launch_free(memcheck->checks);
    if (ends)
        *memcheck = (cpu_memcheck){.context = memcheck->context,
                                   .dynamic_shared = memcheck->dynamic_shared,
                                   .launched = memcheck->launched,
                                   .touched = memcheck->touched,
                                   .number = memcheck->number};
    const call_site place = memcheck->launched;
    pthread_mutex_unlock(&lock);
    if (!fails) return true;
    char launched[LEDGER_PLACE_WORDS];
    ledger_write_place(launched, sizeof launched, place);
    if (*launched) kernel_error_say(error, "; the launch is%s", launched);
    if (others > 0)
        kernel_error_say(error, "; %" PRIu64 " other %s%s made bad accesses too", others,
                         blocks->kernel->suspends ? "block" : "thread", others == 1 ? "" : "s");
    return false;
}

/* Runs blocks one by one, from `block` to the one before `end`. False if a thread stopped the kernel otherwise than at
 * a bad access. */
static bool run_all(kernel_error *error, checker *c, cpu_memcheck *memcheck, kernel_blocks *block, uint64_t end)
{
    for (; block->first < end; block->first++) {
        uint64_t refused = 0;
        if (c->checks) kernel_checks_begin(c->checks, block->first);
        if (!run_block(&refused, error, c, block) && refused == 0) return false;
        if (refused > 0) keep_finding(memcheck, error, block->first, refused);
        if (c->checks) kernel_checks_end(c->checks);
    }
    return true;
}

/* A run of blocks, on the calling thread or, if they run together, on others. */
typedef struct checked_run {
    cpu_memcheck *memcheck;
    uint64_t ledger_count;
    const ledger_asked *ledger; /* the calling thread's */
} checked_run;

static bool run_here(kernel_error *error, const kernel_blocks *blocks, void *user)
{
    const checked_run *run = user;
    cpu_memcheck *memcheck = run->memcheck;
    checker c = {
        .kernel = blocks->kernel,
        .context = memcheck->context,
        .dynamic_shared = memcheck->dynamic_shared,
        .ledger_count = run->ledger_count,
        .touched = memcheck->touched,
        .stack_end = has_stacks(blocks->kernel) ? 0 : (uintptr_t)__builtin_frame_address(0),
    };
    const memcheck_scene scene = {c.ledger_count, c.dynamic_shared};
    ledger_other = run->ledger;
    c.checks = kernel_checks_create(share_checks(memcheck), c.kernel, &scene, blocks->launch, blocks->args);
    cpu_launch launch = *blocks->launch;
    launch.window = c.window;
    launch.check = check;
    launch.refuse = refuse;
    launch.allocate = kernel_heap_allocate;
    launch.release = kernel_heap_release;
    launch.failed = leave;
    launch.is_local = is_local;
    launch.checker = &c;
    const bool is_watched = c.checks && kernel_checks_need_accesses();
    c.notes = is_watched || c.touched;
    if (c.notes) launch.accesses = accesses;
    if (is_watched) {
        launch.accessed = accessed;
        launch.fence = fence;
        launch.known = c.touched ? NULL : kernel_checks_known(c.checks);
    }
    if (c.checks) launch.way = way;
    if (c.checks) {
        launch.used = used;
        launch.holds = holds;
        if (kernel_check_is_on(KERNEL_CHECK_UNWRITTEN)) launch.unwritten = unwritten;
        launch.brings = brings;
        if (kernel_checks_follow_shuffles(c.checks)) launch.gets = gets;
    }
    kernel_blocks block = *blocks;
    block.launch = &launch;
    block.count = 1;
    if (c.checks) block.watch = kernel_checks_watch(c.checks);
    const bool done = run_all(error, &c, memcheck, &block, blocks->first + blocks->count);
    kernel_checks_free(c.checks);
    return done && end_run(error, memcheck, blocks);
}

bool cpu_memcheck_run(kernel_error *error, cpu_memcheck *memcheck, const kernel_blocks *blocks, uint64_t ledger_count)
{
    checked_run run = {memcheck, ledger_count, ledger_other};
    if (!blocks->together) return run_here(error, blocks, &run);
    if (grid_run(error, blocks, run_here, &run)) return true;
    /* Blocks that wait for one that ended at a bad access fail too. */
    if (memcheck->finding.status != LAB_SUCCESS) *error = memcheck->finding;
    return false;
}
