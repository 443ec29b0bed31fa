/* A thread without a stack of its own that fails an assert, calls __trap or touches missing memory jumps out of the
 * kernel. */
#include "kernel_run.h"

#include "base/shuffle.h"
#include "fiber.h"
#include "grid.h"
#include "kernel_signals.h"
#include "seam/checks.h"
#include "split_blocks.h"

#include <setjmp.h>

enum { AT_ONCE = 256 }; /* blocks between two notes of progress */

/* A run of blocks that a thread can end: cpu_launch.user. */
typedef struct guarded_run {
    jmp_buf back;
    const cpu_kernel *kernel;
    kernel_error *error;
    uintptr_t stack_end; /* the kernel's frames lie below */
} guarded_run;

/* cpu_launch.failed */
static void stop_by_jump(const cpu_launch *launch, const cpu_failure *failure)
{
    guarded_run *guard = launch->user;
    kernel_error_stopped(guard->error, guard->kernel, failure);
    longjmp(guard->back, 1);
}

/* cpu_launch.is_local: what a split kernel's threads keep between regions lies elsewhere. */
static bool is_local(const cpu_launch *launch, unsigned long address)
{
    const guarded_run *guard = launch->user;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    return (address >= here && address < guard->stack_end) || cpu_split_blocks_hold(address);
}

/* The threads of a block are independent as long as they do not wait for each other. */
static void run_shuffled_threads(const kernel_blocks *blocks)
{
    const cpu_launch *launch = blocks->launch;
    unsigned block[3], thread[3];
    for (uint64_t number = blocks->first; number < blocks->first + blocks->count; number++) {
        const shuffle order = shuffle_by_seed(*blocks->shuffle_seed, number, kernel_block_threads(launch));
        kernel_block_index(block, number, launch);
        for (uint64_t i = 0; i < order.count; i++) {
            kernel_thread_index(thread, (unsigned)shuffle_at(&order, i), launch);
            blocks->kernel->thread_entry(blocks->args, launch, block, thread);
        }
    }
}

static void run_loops(kernel_error *error, const kernel_blocks *blocks)
{
    if (blocks->kernel->split)
        cpu_split_blocks_run(error, blocks);
    else if (blocks->shuffle_seed)
        run_shuffled_threads(blocks);
    else
        blocks->kernel->entry(blocks->args, blocks->launch, blocks->first, blocks->count);
}

static bool run_one(kernel_error *error, const kernel_blocks *block, void *user)
{
    (void)user;
    return cpu_kernel_run(error, block);
}

static bool run_some(kernel_error *error, const kernel_blocks *blocks)
{
    const cpu_kernel *kernel = blocks->kernel;
    if (kernel->suspends && !kernel->split) return cpu_fiber_run(error, blocks);
    guarded_run guard = {.kernel = kernel, .error = error, .stack_end = (uintptr_t)__builtin_frame_address(0)};
    cpu_launch launch = *blocks->launch;
    launch.failed = stop_by_jump;
    launch.is_local = is_local;
    launch.user = &guard;
    kernel_blocks guarded = *blocks;
    guarded.launch = &launch;
    error->status = LAB_SUCCESS;
    cpu_kernel_signals_enter(kernel, &launch);
    if (setjmp(guard.back) == 0) run_loops(error, &guarded);
    cpu_kernel_signals_leave();
    return error->status == LAB_SUCCESS;
}

bool cpu_kernel_run(kernel_error *error, const kernel_blocks *blocks)
{
    if (blocks->together) return grid_run(error, blocks, run_one, NULL);
    kernel_blocks some = *blocks;
    for (uint64_t left = blocks->count; left > 0; left -= some.count, some.first += some.count) {
        some.count = left < AT_ONCE ? left : AT_ONCE;
        if (some.first > blocks->first) kernel_progress_note();
        if (!run_some(error, &some)) return false;
    }
    return true;
}
