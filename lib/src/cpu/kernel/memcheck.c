/* Each run of blocks remembers the memory that it found last: what could be used when the kernel was launched can be used
 * until it has ended. */
#include "memcheck.h"

#include "memcheck_text.h"
#include "kernel_signals.h"
#include "fiber.h"
#include "seam/ledger.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 2 * CPU_WINDOWS };

/* What runs on a thread's own stack and does not come back, where the sanitizers must not look: see fiber.c. */
#define ON_FIBER __attribute__((no_sanitize("address", "thread")))

/* A run of blocks on a host thread; cpu_launch.checker. */
typedef struct checker {
    const cpu_kernel *kernel;
    const struct backend_context *context;
    size_t dynamic_shared;
    uint64_t when;
    uintptr_t stack_end;        /* local variables lie below; 0 if the threads have stacks of their own */
    cpu_window window[WINDOWS]; /* the last one found first */
    bool refused;               /* the thread's end was a bad access */
    kernel_error *error;        /* of a thread without a stack of its own; NULL if its end is not to be described */
    jmp_buf back;               /* where it ends */
} checker;

/* ---- peers ---- */

typedef struct peer_pair {
    const struct backend_context *context, *peer;
} peer_pair;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* also of the findings of launches */
static peer_pair *peers;
static size_t peer_count;

bool cpu_check_set_peer(const struct backend_context *context, const struct backend_context *peer, bool allowed)
{
    if (!ledger_is_kept()) return true;
    pthread_mutex_lock(&lock);
    size_t at = 0;
    while (at < peer_count && (peers[at].context != context || peers[at].peer != peer)) at++;
    peer_pair *larger = allowed && at == peer_count ? realloc(peers, (peer_count + 1) * sizeof *peers) : peers;
    const bool done = larger || !allowed;
    if (larger) peers = larger;
    if (done && allowed && at == peer_count) peers[peer_count++] = (peer_pair){context, peer};
    if (!allowed && at < peer_count) peers[at] = peers[--peer_count];
    pthread_mutex_unlock(&lock);
    return done;
}

void cpu_check_forget_peers(const struct backend_context *context)
{
    pthread_mutex_lock(&lock);
    for (size_t at = peer_count; at > 0; at--)
        if (peers[at - 1].context == context || peers[at - 1].peer == context) peers[at - 1] = peers[--peer_count];
    pthread_mutex_unlock(&lock);
}

/* Whether the kernel may use memory of that owner. */
static bool may_use(const checker *c, const struct backend_context *owner)
{
    if (!owner || owner == c->context) return true;
    pthread_mutex_lock(&lock);
    bool is_allowed = false;
    for (size_t i = 0; i < peer_count && !is_allowed; i++)
        is_allowed = peers[i].context == c->context && peers[i].peer == owner;
    pthread_mutex_unlock(&lock);
    return is_allowed;
}

/* ---- whether an access is allowed ---- */

static bool fits(const cpu_window *window, uintptr_t address, size_t bytes)
{
    const uintptr_t offset = address - window->address;
    return offset < window->bytes && bytes <= window->bytes - offset;
}

/* The window that is found comes first: the module itself looks at the first ones. */
static bool find_window(checker *c, uintptr_t address, size_t bytes)
{
    for (unsigned i = 0; i < WINDOWS; i++) {
        if (!fits(&c->window[i], address, bytes)) continue;
        const cpu_window found = c->window[i];
        memmove(c->window + 1, c->window, i * sizeof *c->window);
        c->window[0] = found;
        return true;
    }
    return false;
}

static void remember(checker *c, uintptr_t address, size_t bytes)
{
    memmove(c->window + 1, c->window, (WINDOWS - 1) * sizeof *c->window);
    c->window[0] = (cpu_window){address, bytes};
}

/* Local variables: above the caller's frame, and not beyond the thread's stack. */
static bool is_on_stack(const checker *c, uintptr_t address, uintptr_t here)
{
    enum { FIBER_STACK_BYTES = 256 * 1024 };
    return address >= here && (c->stack_end ? address < c->stack_end : address - here < FIBER_STACK_BYTES);
}

/* The module's variable that holds the bytes. */
typedef struct variable_search {
    checker *for_checker;
    uintptr_t address;
    size_t bytes;
    bool found;
} variable_search;

static void look_at_variable(void *user, const void *address, unsigned long bytes, const char *name, cpu_space space)
{
    variable_search *search = user;
    (void)space;
    if (check_is_dynamic_shared(name)) bytes = search->for_checker->dynamic_shared;
    const cpu_window window = {(uintptr_t)address, bytes};
    if (!fits(&window, search->address, search->bytes)) return;
    remember(search->for_checker, window.address, bytes);
    search->found = true;
}

static bool look_up(checker *c, uintptr_t address, size_t bytes)
{
    ledger_entry entry;
    const ledger_answer answer = ledger_find(&entry, address, bytes, c->when);
    if (answer == LEDGER_USABLE && may_use(c, entry.owner) &&
        fits(&(cpu_window){entry.address, entry.bytes}, address, bytes)) {
        remember(c, entry.address, entry.bytes);
        return true;
    }
    variable_search search = {c, address, bytes, false};
    c->kernel->variables(look_at_variable, &search);
    return search.found || answer == LEDGER_UNKNOWN;
}

/* cpu_launch.check */
static bool check(const cpu_launch *launch, const void *at, unsigned long bytes, const cpu_site *site)
{
    checker *c = launch->checker;
    const uintptr_t address = (uintptr_t)at;
    if (bytes == 0) return true;
    if (address & (site->align - 1)) return false;
    return find_window(c, address, bytes) || is_on_stack(c, address, (uintptr_t)__builtin_frame_address(0)) ||
           look_up(c, address, bytes);
}

/* ---- the end of a thread ---- */

/* cpu_launch.refuse */
static ON_FIBER void refuse(const cpu_launch *launch, const cpu_access *access)
{
    checker *c = launch->checker;
    char what[CHECK_WORDS];
    const cpu_site *site = access->site;
    const cpu_failure failure = {
        .kind = check_describe(what, c->kernel, access, &(check_scene){c->when, c->dynamic_shared}),
        .what = what,
        .file = site->file,
        .function = strcmp(site->function, c->kernel->name) == 0 ? "" : site->function,
        .line = site->line,
        .block = {access->block[0], access->block[1], access->block[2]},
        .thread = {access->thread[0], access->thread[1], access->thread[2]},
    };
    c->refused = true;
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

/* Runs the threads of a block one after another; *refused counts those that ended at a bad access, of which the first
 * is described. False if one stopped the kernel otherwise; it is described if it is the first. */
static bool run_threads(uint64_t *refused, kernel_error *error, checker *c, const void *const *args,
                        const cpu_launch *launch, const unsigned *block)
{
    const unsigned *extent = launch->block, threads = extent[0] * extent[1] * extent[2];
    c->error = error;
    volatile bool stopped = false;
    cpu_fault_enter(c->kernel, launch);
    for (volatile unsigned thread = 0; thread < threads && !stopped; thread++) {
        const unsigned at = thread;
        const unsigned index[] = {at % extent[0], at / extent[0] % extent[1], at / extent[0] / extent[1]};
        c->refused = false;
        if (setjmp(c->back) == 0) {
            c->kernel->thread_entry(args, launch, block, index);
            continue;
        }
        cpu_fault_enter(c->kernel, launch);
        c->error = NULL;
        stopped = !c->refused;
        *refused += c->refused;
    }
    cpu_fault_leave();
    return !stopped;
}

/* The same for any kernel; threads that wait for each other end together, and count as one. */
static bool run_block(uint64_t *refused, kernel_error *error, checker *c, const void *const *args,
                      const cpu_launch *launch, uint64_t number)
{
    const unsigned *grid = launch->grid;
    const unsigned block[] = {(unsigned)(number % grid[0]), (unsigned)(number / grid[0] % grid[1]),
                              (unsigned)(number / grid[0] / grid[1])};
    if (!c->kernel->suspends) return run_threads(refused, error, c, args, launch, block);
    c->refused = false;
    if (cpu_fiber_run(error, c->kernel, args, launch, number, 1)) return true;
    *refused += c->refused;
    return c->refused;
}

/* Keeps the finding of the lowest block, and counts. */
static void keep_finding(cpu_check *of, const kernel_error *error, uint64_t block, uint64_t refused)
{
    pthread_mutex_lock(&lock);
    of->refused += refused;
    if (of->finding.status == LAB_SUCCESS || block < of->block) {
        of->finding = *error;
        of->block = block;
    }
    pthread_mutex_unlock(&lock);
}

static void say_more(kernel_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say_more(kernel_error *error, const char *format, ...)
{
    const size_t length = strlen(error->message);
    va_list values;
    va_start(values, format);
    vsnprintf(error->message + length, sizeof error->message - length, format, values);
    va_end(values);
}

/* The kernel's finding, when its last blocks are done; false if there is none. */
static bool end_run(kernel_error *error, cpu_check *of, bool suspends, uint64_t count, uint64_t blocks)
{
    pthread_mutex_lock(&lock);
    of->done += count;
    const bool ends = of->done == blocks, fails = ends && of->finding.status != LAB_SUCCESS;
    const uint64_t others = of->refused - 1;
    if (fails) *error = of->finding;
    if (ends) *of = (cpu_check){.context = of->context, .dynamic_shared = of->dynamic_shared, .launched = of->launched};
    pthread_mutex_unlock(&lock);
    if (!fails) return false;
    char launched[LEDGER_PLACE_WORDS];
    ledger_write_place(launched, sizeof launched, of->launched);
    if (*launched) say_more(error, "; the launch is%s", launched);
    if (others > 0)
        say_more(error, "; %" PRIu64 " other %s%s made bad accesses too", others, suspends ? "block" : "thread",
                 others == 1 ? "" : "s");
    return true;
}

bool cpu_check_run(kernel_error *error, cpu_check *of, const cpu_kernel *kernel, const void *const *args,
                   const cpu_launch *launch, uint64_t when, uint64_t first, uint64_t count, uint64_t blocks)
{
    checker c = {
        .kernel = kernel,
        .context = of->context,
        .dynamic_shared = of->dynamic_shared,
        .when = when,
        .stack_end = kernel->suspends ? 0 : (uintptr_t)__builtin_frame_address(0),
    };
    cpu_launch checked = *launch;
    checked.window = c.window;
    checked.check = check;
    checked.refuse = refuse;
    checked.failed = leave;
    checked.checker = &c;
    for (uint64_t block = first; block < first + count; block++) {
        uint64_t refused = 0;
        if (!run_block(&refused, error, &c, args, &checked, block) && refused == 0) return true;
        if (refused > 0) keep_finding(of, error, block, refused);
    }
    return end_run(error, of, kernel->suspends != NULL, count, blocks);
}
