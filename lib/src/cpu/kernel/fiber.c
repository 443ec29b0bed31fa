/* A thread that waits hands over to another that can run: the next in turn, or the first in a shuffled order. The
 * thread that comes last completes what the others wait for. Sets of threads are a bit a lane, a word a warp. */
#include "fiber.h"

#include "cpu/builtins/wait_name.h"
#include "kernel_signals.h"
#include "stack_switch.h"
#include "thread_order.h"
#include "warp.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_WARPS = MOST_THREADS / CPU_WARP_LANES, NO_THREAD = MOST_THREADS, AHEAD = 3 };

/* Code that runs on a thread's own stack. The sanitizers, which know one stack a host thread, must not look at it. */
#define ON_FIBER __attribute__((no_sanitize("address", "thread")))

/* The block that a host thread runs. */
typedef struct block_run {
    cpu_launch launch; /* the caller's, with the hooks below; first, since a hook gets this address */
    unsigned current;  /* the thread that runs */
    unsigned threads, warps;
    unsigned begun; /* threads from this one on have not run yet; always 0 if threads begin in a shuffled order */
    unsigned alive; /* threads that have not exited */

    /* The barrier at which threads wait: what the first one called, and where. */
    unsigned at_barrier;
    kernel_place barrier_place;
    bool different_places;
    unsigned predicates;                  /* threads that came with a predicate other than 0 */
    unsigned last_count, last_predicates; /* of the barrier completed last: its threads read them as they go on */

    uint32_t warps_ready;             /* warps with a lane that can run */
    uint32_t ready[MOST_WARPS];       /* lanes that can run, without the one that runs */
    uint32_t living[MOST_WARPS];      /* lanes that have not exited */
    uint32_t in_warp[MOST_WARPS];     /* lanes that wait at an operation of the warp */
    uint32_t asking[MOST_WARPS];      /* those of them that wait at __activemask */
    cpu_wait *wait[MOST_THREADS];     /* what they ask for, on their stacks */
    kernel_place place[MOST_THREADS]; /* where a thread last came to a barrier */
    void *stopped_at[MOST_THREADS];   /* for cpu_stack_switch */

    bool shuffled;                   /* threads run in `order`, not from the first to the last */
    thread_order order;              /* if shuffled */
    uint32_t have_begun[MOST_WARPS]; /* if shuffled: lanes that have run */

    const cpu_kernel *kernel;
    const void *const *args;
    unsigned block[3];
    const kernel_watch *watch;
    kernel_error *error;
    bool failed;
    void *scheduler; /* the place on the host thread's own stack */
    unsigned char *stacks[MOST_WARPS];
} block_run;

/* A host thread keeps its stacks from block to block. */
static _Thread_local block_run *own_run;

static unsigned lowest(uint32_t lanes) { return (unsigned)__builtin_ctz(lanes); }

static uint32_t above(unsigned bit) { return UINT32_C(0xfffffffe) << bit; }

static uint32_t lane_bit(unsigned thread) { return UINT32_C(1) << thread % CPU_WARP_LANES; }

static void make_ready(block_run *run, unsigned warp, uint32_t lanes)
{
    run->ready[warp] |= lanes;
    if (run->ready[warp]) run->warps_ready |= UINT32_C(1) << warp;
}

/* --- Failing: the block is left where it stands, all its stacks with it. --- */

static ON_FIBER _Noreturn void abandon(block_run *run)
{
    void *unused;
    run->failed = true;
    cpu_stack_switch(&unused, run->scheduler);
    abort();
}

static kernel_place waits_at(const block_run *run, unsigned thread)
{
    const unsigned warp = thread / CPU_WARP_LANES;
    if (!(run->living[warp] & lane_bit(thread))) return (kernel_place){0};
    if (!(run->in_warp[warp] & lane_bit(thread))) return run->place[thread];
    const cpu_wait *wait = run->wait[thread];
    return (kernel_place){wait->file, wait->line, wait->kind};
}

static void describe_stuck(block_run *run, const char *what)
{
    kernel_place place[MOST_THREADS];
    for (unsigned t = 0; t < run->threads; t++) place[t] = waits_at(run, t);
    kernel_error_stuck(run->error, run->kernel, run->block, what, place, run->threads);
}

static ON_FIBER _Noreturn void fail_stuck(block_run *run, const char *what)
{
    describe_stuck(run, what);
    abandon(run);
}

/* A failed assert or a __trap: called on the thread's stack. */
static ON_FIBER void stop_on_fiber(const cpu_launch *launch, const cpu_failure *failure)
{
    block_run *run = (block_run *)launch;
    kernel_error_stopped(run->error, run->kernel, failure);
    abandon(run);
}

/* --- Completing what threads wait for. The thread that runs is not made ready: it goes on. --- */

/* All threads that have not exited are there. Different places are undefined in CUDA, and an error here. */
static ON_FIBER void complete_barrier(block_run *run)
{
    if (run->different_places) fail_stuck(run, KERNEL_AT_DIFFERENT_BARRIERS);
    run->last_count = run->at_barrier;
    run->last_predicates = run->predicates;
    run->at_barrier = run->predicates = 0;
    for (unsigned warp = 0; warp < run->warps; warp++) make_ready(run, warp, run->living[warp]);
    if (run->shuffled) thread_order_pass_barrier(&run->order);
    if (run->watch) run->watch->barrier(run->watch->user, &run->barrier_place);
}

/* The lanes that take part in the operation at which `lane` waits: those of its mask that have not exited. Returns 0
 * if one of them does not wait at the same operation with the same mask. */
static uint32_t find_members(const block_run *run, unsigned warp, unsigned lane)
{
    cpu_wait *const *wait = &run->wait[warp * CPU_WARP_LANES];
    const uint32_t members = wait[lane]->mask & run->living[warp];
    if (members & ~run->in_warp[warp]) return 0;
    for (uint32_t lanes = members; lanes; lanes &= lanes - 1) {
        const cpu_wait *each = wait[lowest(lanes)];
        if (each->kind != wait[lane]->kind || each->mask != wait[lane]->mask) return 0;
    }
    return members;
}

/* Gives each member its result. */
static void complete_operation(cpu_wait *const wait[CPU_WARP_LANES], uint32_t members)
{
    unsigned argument[CPU_WARP_LANES];
    int width[CPU_WARP_LANES];
    unsigned long long value[CPU_WARP_LANES], result[CPU_WARP_LANES] = {0};
    for (uint32_t lanes = members; lanes; lanes &= lanes - 1) {
        const unsigned lane = lowest(lanes);
        argument[lane] = wait[lane]->argument;
        width[lane] = wait[lane]->width;
        value[lane] = wait[lane]->value;
    }
    cpu_warp_complete(&(warp_operation){wait[lowest(members)]->kind, argument, width, value, result}, members);
    for (uint32_t lanes = members; lanes; lanes &= lanes - 1) wait[lowest(lanes)]->result = result[lowest(lanes)];
}

static void finish_warp(block_run *run, unsigned warp, uint32_t members)
{
    complete_operation(&run->wait[warp * CPU_WARP_LANES], members);
    if (run->watch && run->watch->warp)
        run->watch->warp(run->watch->user, warp, members, &run->wait[warp * CPU_WARP_LANES]);
    run->in_warp[warp] &= ~members;
    make_ready(run, warp, members);
}

/* A lane has exited: what others wait for may be complete without it. */
static void complete_without(block_run *run, unsigned warp)
{
    for (uint32_t lanes = run->in_warp[warp] & ~run->asking[warp]; lanes; lanes &= lanes - 1) {
        if (!(run->in_warp[warp] >> lowest(lanes) & 1)) continue;
        const uint32_t members = find_members(run, warp, lowest(lanes));
        if (members) finish_warp(run, warp, members);
    }
}

/* No lane of the warp can run: __activemask names those that came to the same line. */
static void complete_asking(block_run *run, unsigned warp)
{
    cpu_wait *const *wait = &run->wait[warp * CPU_WARP_LANES];
    while (run->asking[warp]) {
        uint32_t together = 0;
        const unsigned line = wait[lowest(run->asking[warp])]->line;
        for (uint32_t lanes = run->asking[warp]; lanes; lanes &= lanes - 1)
            if (wait[lowest(lanes)]->line == line) together |= UINT32_C(1) << lowest(lanes);
        run->asking[warp] &= ~together;
        finish_warp(run, warp, together);
    }
}

/* --- Which thread runs next --- */

static unsigned take(block_run *run, unsigned warp, unsigned lane)
{
    run->ready[warp] &= ~(UINT32_C(1) << lane);
    if (!run->ready[warp]) run->warps_ready &= ~(UINT32_C(1) << warp);
    return warp * CPU_WARP_LANES + lane;
}

/* A thread that can run when no later lane of the warp can. */
static unsigned take_from_start(block_run *run, unsigned warp)
{
    if (!run->ready[warp] && run->asking[warp]) complete_asking(run, warp);
    if (run->ready[warp]) return take(run, warp, lowest(run->ready[warp]));
    if (!run->warps_ready) return NO_THREAD;
    const uint32_t later = run->warps_ready & above(warp);
    const unsigned next = lowest(later ? later : run->warps_ready);
    return take(run, next, lowest(run->ready[next]));
}

/* The next thread in the shuffled order. A warp goes on until none of its lanes can. */
static unsigned take_shuffled(block_run *run)
{
    uint32_t can = run->warps_ready;
    for (unsigned warp = 0; warp < run->warps; warp++) can |= (uint32_t)(run->asking[warp] != 0) << warp;
    if (!can) return NO_THREAD;
    const unsigned warp = thread_order_first_warp(&run->order, can);
    if (!run->ready[warp]) complete_asking(run, warp);
    return take(run, warp, thread_order_first_lane(&run->order, run->ready[warp]));
}

/* The next thread that can run after `self`, its own warp's lanes first: threads then begin in their order, and a warp
 * whose lanes exchange values stays in the cache. */
static inline unsigned take_next(block_run *run, unsigned self)
{
    if (run->shuffled) return take_shuffled(run);
    const unsigned warp = self / CPU_WARP_LANES;
    const uint32_t later = run->ready[warp] & above(self % CPU_WARP_LANES);
    return later ? take(run, warp, lowest(later)) : take_from_start(run, warp);
}

/* The processor's own prediction does not reach the stack that runs soon. */
static inline void fetch_ahead(const block_run *run, unsigned next)
{
    const char *soon = run->stopped_at[(next + AHEAD) % MOST_THREADS];
    __builtin_prefetch(soon, 1);
    __builtin_prefetch(soon + 64, 1);
}

static ON_FIBER void run_threads(void);

static inline bool has_begun(const block_run *run, unsigned thread)
{
    if (run->shuffled) return run->have_begun[thread / CPU_WARP_LANES] & lane_bit(thread);
    return thread < run->begun;
}

static inline void note_begun(block_run *run, unsigned thread)
{
    if (run->shuffled)
        run->have_begun[thread / CPU_WARP_LANES] |= lane_bit(thread);
    else
        run->begun = thread + 1;
}

/* Where thread `next` goes on, or begins. */
static inline ON_FIBER void *place_of(block_run *run, unsigned next)
{
    run->current = next;
    if (has_begun(run, next)) return run->stopped_at[next];
    note_begun(run, next);
    return cpu_stack_begin(run->stacks[next / CPU_WARP_LANES], next % CPU_WARP_LANES, run_threads);
}

static __attribute__((noinline)) ON_FIBER void leave_for_any(block_run *run, unsigned self)
{
    const unsigned next = take_next(run, self);
    if (next == NO_THREAD) fail_stuck(run, KERNEL_NONE_CAN_GO_ON);
    if (next != self) cpu_stack_switch(&run->stopped_at[self], place_of(run, next));
}

/* The running thread waits; returns when it can go on. Mostly a later lane of the warp goes on, and the way to it is
 * short: it needs no frame of its own. */
static inline ON_FIBER void leave(block_run *run, unsigned self)
{
    const unsigned warp = self / CPU_WARP_LANES;
    const uint32_t later = run->ready[warp] & above(self % CPU_WARP_LANES);
    const unsigned next = warp * CPU_WARP_LANES + lowest(later | UINT32_C(1) << 31);
    if (!later || next >= run->begun) {
        leave_for_any(run, self);
        return;
    }
    take(run, warp, next % CPU_WARP_LANES);
    fetch_ahead(run, next);
    run->current = next;
    cpu_stack_switch(&run->stopped_at[self], run->stopped_at[next]);
}

static void exit_thread(block_run *run, unsigned self)
{
    const unsigned warp = self / CPU_WARP_LANES;
    run->living[warp] &= ~lane_bit(self);
    run->alive--;
    if (run->watch && run->watch->exited) run->watch->exited(run->watch->user, self);
    if (run->in_warp[warp]) complete_without(run, warp);
    if (run->at_barrier && run->at_barrier == run->alive) complete_barrier(run);
}

/* The function of every stack: runs a thread and, after its end, the next one as long as that has not begun yet. */
static ON_FIBER void run_threads(void)
{
    block_run *run = own_run;
    for (;;) {
        const unsigned self = run->current;
        unsigned thread[3];
        kernel_thread_index(thread, self, &run->launch);
        run->kernel->thread_entry(run->args, &run->launch, run->block, thread);
        exit_thread(run, self);
        const unsigned next = take_next(run, self);
        if (next == NO_THREAD || has_begun(run, next)) {
            if (next == NO_THREAD && run->alive) fail_stuck(run, KERNEL_NONE_CAN_GO_ON);
            void *unused;
            cpu_stack_switch(&unused, next == NO_THREAD ? run->scheduler : place_of(run, next));
        }
        run->current = next;
        note_begun(run, next);
    }
}

/* --- The kernel's thread waits: called on its stack. --- */

/* The running thread has made itself ready and goes on, unless another one is first in a shuffled order. */
static inline ON_FIBER void go_on(block_run *run, unsigned self)
{
    if (run->shuffled)
        leave_for_any(run, self);
    else
        take(run, self / CPU_WARP_LANES, self % CPU_WARP_LANES);
}

static __attribute__((noinline)) ON_FIBER void come_last(block_run *run)
{
    complete_barrier(run);
    go_on(run, run->current);
}

static inline ON_FIBER void wait_at_barrier(block_run *run, cpu_wait_kind kind, const char *file, unsigned line)
{
    const unsigned self = run->current;
    const kernel_place place = {file, line, kind};
    if (run->at_barrier == 0) run->barrier_place = place;
    if (run->barrier_place.line != line || run->barrier_place.file != file || run->barrier_place.kind != kind)
        run->different_places = true;
    run->place[self] = place;
    if (++run->at_barrier < run->alive)
        leave(run, self);
    else
        come_last(run);
}

/* Most kernels spend their time here: nothing is left to be done after the switch, so that it needs no frame. */
static ON_FIBER void sync_threads(const cpu_launch *launch, const char *file, unsigned line)
{
    wait_at_barrier((block_run *)launch, CPU_WAIT_BARRIER, file, line);
}

static ON_FIBER unsigned sync_with_predicate(const cpu_launch *launch, cpu_wait_kind kind, unsigned predicate,
                                             const char *file, unsigned line)
{
    block_run *run = (block_run *)launch;
    run->predicates += predicate;
    wait_at_barrier(run, kind, file, line);
    if (kind == CPU_WAIT_BARRIER_AND) return run->last_predicates == run->last_count;
    return kind == CPU_WAIT_BARRIER_COUNT ? run->last_predicates : run->last_predicates > 0;
}

/* A lane outside its own mask can never go on. */
static ON_FIBER _Noreturn void fail_outside_mask(block_run *run, const cpu_wait *wait)
{
    const kernel_place place = {wait->file, wait->line, wait->kind};
    kernel_error_outside_mask(run->error, run->kernel, &run->launch, run->block, run->current, wait->mask, &place);
    abandon(run);
}

static ON_FIBER void wait_in_warp(const cpu_launch *launch, cpu_wait *wait)
{
    block_run *run = (block_run *)launch;
    const unsigned self = run->current, warp = self / CPU_WARP_LANES, lane = self % CPU_WARP_LANES;
    if (wait->kind != CPU_WAIT_ACTIVEMASK && !(wait->mask >> lane & 1)) fail_outside_mask(run, wait);
    run->wait[self] = wait;
    run->in_warp[warp] |= UINT32_C(1) << lane;
    const uint32_t members = wait->kind == CPU_WAIT_ACTIVEMASK ? 0 : find_members(run, warp, lane);
    if (wait->kind == CPU_WAIT_ACTIVEMASK) run->asking[warp] |= UINT32_C(1) << lane;
    if (members >> lane & 1) {
        finish_warp(run, warp, members);
        go_on(run, self);
    } else {
        leave(run, self);
    }
}

/* --- Running --- */

static bool begin_block(block_run *run, uint64_t block, const uint64_t *shuffle_seed)
{
    kernel_block_index(run->block, block, &run->launch);
    run->threads = run->alive = kernel_block_threads(&run->launch);
    assert(run->threads <= MOST_THREADS);
    run->warps = (run->threads + CPU_WARP_LANES - 1) / CPU_WARP_LANES;
    run->begun = run->at_barrier = run->predicates = run->warps_ready = 0;
    run->different_places = false;
    for (unsigned warp = 0; warp < run->warps; warp++) {
        const unsigned left = run->threads - warp * CPU_WARP_LANES;
        run->living[warp] = left >= CPU_WARP_LANES ? UINT32_MAX : ~(UINT32_MAX << left);
        run->ready[warp] = run->in_warp[warp] = run->asking[warp] = run->have_begun[warp] = 0;
        make_ready(run, warp, run->living[warp]);
        if (!run->stacks[warp]) run->stacks[warp] = cpu_stack_set(CPU_WARP_LANES);
        if (!run->stacks[warp]) return false;
    }
    if (shuffle_seed) thread_order_begin(&run->order, *shuffle_seed, block, run->threads);
    return true;
}

static bool fail_without_memory(kernel_error *error, const cpu_kernel *kernel)
{
    error->status = LAB_ERROR_OUT_OF_MEMORY;
    snprintf(error->message, sizeof error->message, "kernel '%s': no host memory for the stacks of a block's threads",
             kernel->name);
    return false;
}

unsigned cpu_fiber_thread(const cpu_launch *launch) { return ((const block_run *)launch)->current; }

uintptr_t cpu_fiber_stack_end(const cpu_launch *launch, uintptr_t address)
{
    const block_run *run = (const block_run *)launch;
    for (unsigned i = 0; i < run->warps; i++) {
        const unsigned warp = (run->current / CPU_WARP_LANES + i) % run->warps;
        const uintptr_t end = cpu_stack_end(run->stacks[warp], CPU_WARP_LANES, address);
        if (end) return end;
    }
    return 0;
}

/* cpu_launch.is_local */
static ON_FIBER bool is_on_a_stack(const cpu_launch *launch, unsigned long address)
{
    return cpu_fiber_stack_end(launch, address) != 0;
}

bool cpu_fiber_run(kernel_error *error, const kernel_blocks *blocks)
{
    const cpu_kernel *kernel = blocks->kernel;
    block_run *run = own_run ? own_run : (own_run = calloc(1, sizeof *run));
    if (!run) return fail_without_memory(error, kernel);
    run->kernel = kernel;
    run->args = blocks->args;
    run->watch = blocks->watch;
    run->error = error;
    run->failed = false;
    run->shuffled = blocks->shuffle_seed != NULL;
    run->launch = *blocks->launch;
    run->launch.syncthreads = sync_threads;
    run->launch.barrier = sync_with_predicate;
    run->launch.wait = wait_in_warp;
    run->launch.failed = stop_on_fiber;
    run->launch.is_local = is_on_a_stack;
    cpu_kernel_signals_enter(kernel, &run->launch);
    const uint64_t end = blocks->first + blocks->count;
    bool has_memory = true;
    for (uint64_t block = blocks->first; block < end && !run->failed && has_memory; block++) {
        has_memory = begin_block(run, block, blocks->shuffle_seed);
        if (!has_memory) break;
        cpu_stack_switch(&run->scheduler, place_of(run, run->shuffled ? take_shuffled(run) : take(run, 0, 0)));
    }
    cpu_kernel_signals_leave();
    return has_memory ? !run->failed : fail_without_memory(error, kernel);
}
