/* Fibers for the threads of a block, their stacks, and the order in which they run: each until it waits or ends, round
 * after round, waits being completed in between. Switching is Boost.Context's. */
#include "fiber.h"

#include "warp.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

/* Boost.Context's C interface, which its own header gives to C++ alone. */
typedef void *fcontext_t;
typedef struct transfer_t {
    fcontext_t from;
    void *data;
} transfer_t;
extern transfer_t jump_fcontext(fcontext_t to, void *data);
extern fcontext_t make_fcontext(void *stack_top, size_t bytes, void (*function)(transfer_t));

enum {
    MOST_THREADS = 1024,     /* of a block */
    STACK_BYTES = 256 * 1024, /* of a fiber; touched as it is used */
    TOP_STEP_BYTES = 5 * 64,
    TOP_SPAN_BYTES = 64 * 64,
};

typedef enum fiber_state { FIBER_FRESH, FIBER_READY, FIBER_WAITING, FIBER_EXITED } fiber_state;

typedef struct fiber {
    unsigned char *stack; /* lowest address, above the guard page; NULL until first used */
    fcontext_t context;
    fiber_state state;
    cpu_wait *wait; /* what it waits for, on its own stack */
    unsigned thread[3];
#if defined(__SANITIZE_THREAD__)
    void *tsan;
#endif
} fiber;

/* The block that a host thread runs. */
typedef struct block_run {
    const cpu_kernel *kernel;
    const void *const *args;
    cpu_launch launch; /* the caller's, with the hook for waits */
    unsigned block[3];
    unsigned threads;
    fiber *current;
    fcontext_t scheduler;
    fiber fibers[MOST_THREADS];
#if defined(__SANITIZE_THREAD__)
    void *tsan;
#endif
} block_run;

/* A host thread keeps its fibers' stacks from block to block. */
static _Thread_local block_run *own_run;

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "The CPU device cannot run a kernel whose threads wait for each other: %s.\n", what);
    abort();
}

static size_t page_bytes(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* A stack with a page below it that nothing may touch. */
static unsigned char *make_stack(void)
{
    size_t page = page_bytes();
    unsigned char *memory =
        mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0) give_up("no memory for a thread's stack");
    return memory + page;
}

static block_run *run_of_this_thread(void)
{
    if (!own_run && !(own_run = calloc(1, sizeof *own_run))) give_up("no memory for a block");
    return own_run;
}

/* --- Switching ---
 * A fiber that waits or ends goes straight on to the next one that can run; the last one goes back to the scheduler,
 * which completes waits. Every jump hands over the fiber that made it (NULL: the scheduler), so that where it stopped
 * is noted on the other side. */

static void note_origin(block_run *run, transfer_t arrival)
{
    fiber *origin = arrival.data;
    if (origin)
        origin->context = arrival.from;
    else
        run->scheduler = arrival.from;
}

static bool can_run(const fiber *of) { return of->state == FIBER_FRESH || of->state == FIBER_READY; }

/* The first fiber from number `first` on that can run; NULL if there is none. */
static fiber *next_to_run(block_run *run, unsigned first)
{
    for (unsigned t = first; t < run->threads; t++)
        if (can_run(&run->fibers[t])) return &run->fibers[t];
    return NULL;
}

/* Jumps from `origin` to `to`, NULL being the scheduler, and returns when somebody jumps back. */
static void jump(block_run *run, fiber *origin, fiber *to)
{
    run->current = to;
#if defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to ? to->tsan : run->tsan, 0);
#endif
    note_origin(run, jump_fcontext(to ? to->context : run->scheduler, origin));
}

static void leave(block_run *run, fiber *self) { jump(run, self, next_to_run(run, (unsigned)(self - run->fibers) + 1)); }

static void run_thread(transfer_t arrival)
{
    block_run *run = own_run;
    note_origin(run, arrival);
    fiber *self = run->current;
    run->kernel->thread_entry(run->args, &run->launch, run->block, self->thread);
    self->state = FIBER_EXITED;
    leave(run, self);
    assert(!"an exited fiber was resumed");
}

/* The kernel's thread waits: called on its fiber. */
static void wait_on_fiber(const cpu_launch *launch, cpu_wait *wait)
{
    block_run *run = launch->user;
    fiber *self = run->current;
    self->wait = wait;
    self->state = FIBER_WAITING;
    leave(run, self);
}

/* The stacks' tops lie at different places of their pages, so that they do not all fall into the same cache lines. */
static size_t top_offset(unsigned thread) { return thread * TOP_STEP_BYTES % TOP_SPAN_BYTES; }

static void prepare_fibers(block_run *run)
{
    const unsigned *extent = run->launch.block;
    run->threads = extent[0] * extent[1] * extent[2];
    assert(run->threads <= MOST_THREADS);
    for (unsigned t = 0; t < run->threads; t++) {
        fiber *each = &run->fibers[t];
        if (!each->stack) each->stack = make_stack();
        each->state = FIBER_FRESH;
        each->wait = NULL;
        each->thread[0] = t % extent[0];
        each->thread[1] = t / extent[0] % extent[1];
        each->thread[2] = t / extent[0] / extent[1];
        each->context = make_fcontext(each->stack + STACK_BYTES - top_offset(t), STACK_BYTES - top_offset(t), run_thread);
#if defined(__SANITIZE_THREAD__)
        if (!each->tsan) each->tsan = __tsan_create_fiber(0);
#endif
    }
}

/* --- Completing waits --- */

static void resume(fiber *waiting)
{
    waiting->wait = NULL;
    waiting->state = FIBER_READY;
}

/* Whether all threads that have not exited wait at a barrier of the block; completes it if so. */
static bool complete_barrier(block_run *run)
{
    cpu_wait *wait[MOST_THREADS];
    unsigned there = 0;
    for (unsigned t = 0; t < run->threads; t++) {
        fiber *each = &run->fibers[t];
        wait[t] = each->state == FIBER_WAITING ? each->wait : NULL;
        if (each->state == FIBER_EXITED) continue;
        if (!wait[t] || !cpu_wait_is_of_block(wait[t]->kind)) return false;
        there++;
    }
    if (there == 0) return false;
    cpu_barrier_complete(wait, run->threads);
    for (unsigned t = 0; t < run->threads; t++)
        if (wait[t]) resume(&run->fibers[t]);
    return true;
}

static unsigned lanes_of_warp(const block_run *run, unsigned first)
{
    unsigned left = run->threads - first;
    return left < CPU_WARP_LANES ? left : CPU_WARP_LANES;
}

/* The waits of the lanes that take part with `lane` in its operation, into `wait`; false if one of them is not there
 * yet. Lanes of the mask that have exited, or never were, take no part. */
static bool gather_mask(block_run *run, unsigned first, unsigned lane, cpu_wait *wait[CPU_WARP_LANES])
{
    const cpu_wait *own = run->fibers[first + lane].wait;
    memset(wait, 0, CPU_WARP_LANES * sizeof *wait);
    for (unsigned other = 0; other < lanes_of_warp(run, first); other++) {
        fiber *each = &run->fibers[first + other];
        if (!(own->mask >> other & 1) || each->state == FIBER_EXITED) continue;
        if (each->state != FIBER_WAITING || each->wait->kind != own->kind || each->wait->mask != own->mask) return false;
        wait[other] = each->wait;
    }
    return wait[lane] != NULL;
}

/* __activemask names the lanes that reached the same line while the others of the warp wait elsewhere or have exited. */
static bool gather_active(block_run *run, unsigned first, unsigned lane, cpu_wait *wait[CPU_WARP_LANES])
{
    const cpu_wait *own = run->fibers[first + lane].wait;
    memset(wait, 0, CPU_WARP_LANES * sizeof *wait);
    for (unsigned other = 0; other < lanes_of_warp(run, first); other++) {
        const fiber *each = &run->fibers[first + other];
        if (each->state == FIBER_FRESH || each->state == FIBER_READY) return false;
        if (each->state == FIBER_WAITING && each->wait->kind == own->kind && each->wait->line == own->line)
            wait[other] = each->wait;
    }
    return true;
}

static bool complete_warp(block_run *run, unsigned first)
{
    bool any = false;
    cpu_wait *wait[CPU_WARP_LANES];
    for (unsigned lane = 0; lane < lanes_of_warp(run, first); lane++) {
        const fiber *each = &run->fibers[first + lane];
        if (each->state != FIBER_WAITING || cpu_wait_is_of_block(each->wait->kind)) continue;
        bool all_there = each->wait->kind == CPU_WAIT_ACTIVEMASK ? gather_active(run, first, lane, wait)
                                                                 : gather_mask(run, first, lane, wait);
        if (!all_there) continue;
        cpu_warp_complete(wait);
        for (unsigned other = 0; other < CPU_WARP_LANES; other++)
            if (wait[other]) resume(&run->fibers[first + other]);
        any = true;
    }
    return any;
}

static bool complete_waits(block_run *run)
{
    bool any = false;
    for (unsigned first = 0; first < run->threads; first += CPU_WARP_LANES)
        if (complete_warp(run, first)) any = true;
    return any || complete_barrier(run);
}

/* --- Failing --- */

/* "threads 0-15 wait at __syncthreads, line 12" */
static void describe_waits(const block_run *run)
{
    for (unsigned t = 0; t < run->threads;) {
        const fiber *from = &run->fibers[t];
        unsigned end = t + 1;
        while (end < run->threads && run->fibers[end].state == from->state &&
               (!from->wait || (run->fibers[end].wait->kind == from->wait->kind &&
                                run->fibers[end].wait->line == from->wait->line)))
            end++;
        char range[40];
        snprintf(range, sizeof range, end - t == 1 ? "thread %u" : "threads %u-%u", t, end - 1);
        if (from->wait)
            fprintf(stderr, "  %s wait%s at %s, line %u\n", range, end - t == 1 ? "s" : "", cpu_wait_name(from->wait->kind),
                    from->wait->line);
        else
            fprintf(stderr, "  %s %s exited\n", range, end - t == 1 ? "has" : "have");
        t = end;
    }
}

static _Noreturn void fail_stuck(const block_run *run, const char *what)
{
    fprintf(stderr, "Kernel '%s', block [%u,%u,%u]: %s\n", run->kernel->name, run->block[0], run->block[1], run->block[2], what);
    describe_waits(run);
    abort();
}

/* Threads that wait at different barriers: in CUDA the behaviour is undefined, here it is an error. */
static void check_one_barrier(const block_run *run)
{
    const cpu_wait *first = NULL;
    for (unsigned t = 0; t < run->threads; t++) {
        if (run->fibers[t].state == FIBER_EXITED) continue;
        const cpu_wait *wait = run->fibers[t].wait;
        if (!wait || !cpu_wait_is_of_block(wait->kind)) return;
        if (!first) first = wait;
        if (wait->kind != first->kind || wait->line != first->line)
            fail_stuck(run, "its threads wait at different barriers (a barrier must be reached by all of them)");
    }
}

/* --- Running --- */

static void run_ready(block_run *run)
{
    fiber *first = next_to_run(run, 0);
    if (first) jump(run, NULL, first);
}

static bool all_exited(const block_run *run)
{
    for (unsigned t = 0; t < run->threads; t++)
        if (run->fibers[t].state != FIBER_EXITED) return false;
    return true;
}

static void run_block(block_run *run)
{
    prepare_fibers(run);
    for (run_ready(run); !all_exited(run); run_ready(run)) {
        check_one_barrier(run);
        if (!complete_waits(run)) fail_stuck(run, "its threads wait for each other and none can go on");
    }
}

void cpu_fiber_run(const cpu_kernel *kernel, const void *const *args, const cpu_launch *launch, uint64_t first,
                   uint64_t count)
{
    block_run *run = run_of_this_thread();
    run->kernel = kernel;
    run->args = args;
    run->launch = *launch;
    run->launch.wait = wait_on_fiber;
    run->launch.user = run;
#if defined(__SANITIZE_THREAD__)
    run->tsan = __tsan_get_current_fiber();
#endif
    for (uint64_t block = first; block < first + count; block++) {
        run->block[0] = (unsigned)(block % launch->grid[0]);
        run->block[1] = (unsigned)(block / launch->grid[0] % launch->grid[1]);
        run->block[2] = (unsigned)(block / launch->grid[0] / launch->grid[1]);
        run_block(run);
    }
}
