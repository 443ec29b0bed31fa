/* Each device has a set of queues. In a queue, the operation of the lowest rank starts first, and among equals the one
 * that was ready first. */
#include "engine.h"

#include "base/retire.h"

#include "base/program/host_threads.h"
#include "base/monotonic.h"
#include "capacity.h"
#include "engine_lock.h"
#include "schedule.h"
#include "schedule_setting.h"
#include "serial_requests.h"
#include "standstill.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

/* How long a thread looks for work, or a host thread for its end, before it sleeps: a wake-up costs more. */
static const int64_t SPIN_NS = 30000;
enum { PAUSES_BETWEEN_LOOKS = 32 };

/* A compute thread takes at most 1/SHARE of what would be its even part of the blocks left, so that all threads end
 * together. */
enum { SHARE = 4 };

/* Operations in the order in which they became ready. */
typedef struct op_list {
    cpu_op *first, *last;
} op_list;

typedef struct op_queue {
    op_list list[CPU_PRIORITIES];
    _Atomic int ready; /* operations in the lists; read without the lock by spinning threads */
    int threads, asleep;
    int started; /* threads that were made: all of them once the device has started */
    int lanes;   /* threads that have taken a number for themselves */
    pthread_cond_t work;
} op_queue;

static pthread_cond_t op_done = PTHREAD_COND_INITIALIZER;
static op_queue queues[CPU_MOST_DEVICES][CPU_QUEUES];
static atomic_int spinning;
static atomic_int most_spinning; /* leaves a core to the threads that have work */

/* ---- Operations that become ready, and their end ---- */

static void append(op_list *list, cpu_op *op)
{
    op->next = NULL;
    if (list->last)
        list->last->next = op;
    else
        list->first = op;
    list->last = op;
}

static void remove_first(op_list *list)
{
    list->first = list->first->next;
    if (!list->first) list->last = NULL;
}

static void push(op_queue *queue, cpu_op *op)
{
    append(&queue->list[op->rank], op);
    for (int rank = op->rank + 1; rank < CPU_PRIORITIES; rank++) {
        cpu_op *later = queue->list[rank].first;
        if (later && later->divided) later->divider->pause(later, true);
    }
    atomic_fetch_add_explicit(&queue->ready, 1, memory_order_release);
    if (queue->asleep == 0) return;
    if (op->blocks > 1)
        pthread_cond_broadcast(&queue->work);
    else
        pthread_cond_signal(&queue->work);
}

static void free_ready_dependents(const cpu_op *op, op_list *ready)
{
    for (int i = 0; i < op->dependents; i++)
        if (--op->dependent[i]->unfinished == 0) append(ready, op->dependent[i]);
}

/* Operations that are not done and call a host function, themselves or in their group. */
static int host_work;

static bool calls_host(const cpu_op *op)
{
    return op->queue == CPU_QUEUE_HOST || (op->queue == CPU_QUEUE_GROUP && op->group->calls_host);
}

bool cpu_engine_has_host_work(void) { return host_work > 0; }

/* Marks the operation done and adds the operations that only waited for it to the list of ready ones. */
static void finish(cpu_op *op, op_list *ready)
{
    op->end_ns = monotonic_ns();
    host_work -= calls_host(op);
    if (op->times) {
        if (op->queue == CPU_QUEUE_NONE) atomic_store(&op->times->start_ns, op->end_ns);
        atomic_store(&op->times->end_ns, op->end_ns);
    }
    atomic_store_explicit(&op->done, true, memory_order_release);
    if (op->awaited) pthread_cond_broadcast(&op_done);
    if (op->entry) cpu_schedule_remove(op);
    free_ready_dependents(op, ready);
    op->dependents = 0;
    if (op->queue == CPU_QUEUE_GROUP) {
        cpu_group_release(op->group);
        op->group = NULL;
    }
    cpu_op_release(op);
}

/* The same for a member of a group, which is then as it was before the run. */
static void finish_member(cpu_op *op, op_list *ready)
{
    cpu_group *group = op->group;
    if (op->entry) cpu_schedule_remove(op);
    free_ready_dependents(op, ready);
    op->unfinished = op->waits;
    op->claimed = op->finished = 0;
    if (--group->left == 0) finish(group->launch, ready);
}

/* The members that wait for no other are ready. */
static void start_group(cpu_op *launch, op_list *ready)
{
    cpu_group *group = launch->group;
    if (launch->times) atomic_store(&launch->times->start_ns, monotonic_ns());
    if (group->members == 0) {
        finish(launch, ready);
        return;
    }
    group->launch = launch;
    group->left = group->members;
    for (int i = 0; i < group->members && launch->entry; i++) cpu_schedule_add_member(group->member[i], launch);
    for (int i = 0; i < group->members; i++)
        if (group->member[i]->waits == 0) append(ready, group->member[i]);
}

/* Starts every operation of the list, and in turn what those that need no thread make ready. */
static void start(op_list ready)
{
    while (ready.first) {
        cpu_op *op = ready.first;
        remove_first(&ready);
        if (op->queue == CPU_QUEUE_NONE)
            finish(op, &ready);
        else if (op->queue == CPU_QUEUE_GROUP)
            start_group(op, &ready);
        else if (op->entry)
            cpu_serial_note_ready(op);
        else
            push(&queues[op->device][op->queue], op);
    }
}

void cpu_op_submit(cpu_op *op)
{
    cpu_op_retain(op);
    host_work += calls_host(op);
    if (op->entry) cpu_schedule_add(op);
    if (--op->unfinished > 0) return;
    op->next = NULL;
    start((op_list){op, op});
}

void cpu_op_abandon(cpu_op *op)
{
    if (op->queue == CPU_QUEUE_GROUP) cpu_group_release(op->group);
    op->queue = CPU_QUEUE_NONE;
    op->times = NULL;
    cpu_op_submit(op);
}

void cpu_op_complete(cpu_op *op)
{
    op_list ready = {0};
    cpu_standstill_forget(op);
    if (op->group)
        finish_member(op, &ready);
    else
        finish(op, &ready);
    start(ready);
}

void cpu_op_note_start(cpu_op *op, int lane)
{
    if (!op->times || atomic_load(&op->times->start_ns) != 0) return;
    atomic_store(&op->times->lane, lane);
    atomic_store(&op->times->start_ns, monotonic_ns());
}

void cpu_op_hand_over(cpu_op *op) { push(&queues[op->device][op->queue], op); }

/* ---- The queues' threads ---- */

/* The operation, first in its list, has no blocks left that nobody runs. */
static void leave_queue(op_queue *queue, cpu_op *op)
{
    remove_first(&queue->list[op->rank]);
    op->claimed = op->blocks;
    atomic_fetch_sub_explicit(&queue->ready, 1, memory_order_relaxed);
}

/* The queue's first operation, without those that have no blocks left; NULL if there is none. */
static cpu_op *first_ready(op_queue *queue)
{
    for (op_list *list = queue->list; list < queue->list + CPU_PRIORITIES; list++) {
        while (list->first && list->first->divided && cpu_op_begun(list->first) == list->first->blocks &&
               list->first->running > 0)
            leave_queue(queue, list->first);
        if (list->first) return list->first;
    }
    return NULL;
}

/* Takes the next blocks of the queue's first operation; NULL if there is none. */
static cpu_op *claim(op_queue *queue, uint64_t *first, uint64_t *count, int lane)
{
    cpu_op *op = first_ready(queue);
    if (!op) return NULL;
    if (op->claimed == 0 && !op->divided) {
        cpu_op_note_start(op, lane);
        op->divided = op->divider && op->blocks > 1 && op->divider->begin(op, queue->threads);
    }
    if (op->divided) {
        op->divider->pause(op, false);
        op->running++;
        *first = 0;
        *count = op->blocks;
        cpu_standstill_note(op, *first);
        return op;
    }
    uint64_t left = op->blocks - op->claimed;
    *first = op->claimed;
    *count = left / (uint64_t)(queue->threads * SHARE);
    if (*count == 0) *count = 1;
    op->claimed += *count;
    cpu_standstill_note(op, *first);
    if (op->claimed == op->blocks) leave_queue(queue, op);
    return op;
}

/* Tells the core that this thread only waits. */
static inline void pause_core(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Looks for a little while whether the condition holds of the subject, and returns whether it came to hold. Now and
 * then another thread gets the core: on a busy machine the one that is waited for may need the same core. */
static bool look_for(bool (*holds)(const void *), const void *subject)
{
    int64_t give_up = monotonic_ns() + SPIN_NS;
    do {
        for (int i = 0; i < PAUSES_BETWEEN_LOOKS; i++) {
            if (holds(subject)) return true;
            pause_core();
        }
        sched_yield();
    } while (monotonic_ns() < give_up);
    return false;
}

static bool has_work(const void *ready) { return atomic_load((const _Atomic int *)ready) > 0; }

static bool is_done(const void *op) { return cpu_op_done(op); }

/* Waits a little while for an operation to become ready, if a core can be spared. */
static void spin_for_work(const _Atomic int *ready)
{
    if (atomic_fetch_add(&spinning, 1) < most_spinning) look_for(has_work, ready);
    atomic_fetch_sub(&spinning, 1);
}

static bool is_cancelled(const cpu_op *op)
{
    return op->cancelled && atomic_load_explicit(op->cancelled, memory_order_relaxed) != 0;
}

void cpu_op_run(cpu_op *op, uint64_t first, uint64_t count)
{
    if (!is_cancelled(op)) op->run(op, first, count);
}

/* A thread has returned from an operation that divides its blocks itself. */
static void finish_divided(cpu_op *op)
{
    op->running--;
    if (op->claimed < op->blocks && (is_cancelled(op) || cpu_op_begun(op) == op->blocks))
        leave_queue(&queues[op->device][op->queue], op);
    if (op->claimed < op->blocks || op->running > 0) return;
    op->divided = false;
    op->divider->end(op);
    cpu_op_complete(op);
}

/* Runs blocks of an operation, and ends it with the last of them. Releases the lock meanwhile. */
static void run_claimed(cpu_op *op, uint64_t first, uint64_t count)
{
    cpu_engine_unlock();
    if (op->entry) host_threads_count_caller(true);
    cpu_op_run(op, first, count);
    if (op->entry) host_threads_count_caller(false);
    cpu_engine_lock();
    if (op->divided) {
        finish_divided(op);
    } else {
        op->finished += count;
        if (op->finished == op->blocks) cpu_op_complete(op);
    }
    if (cpu_schedule_is_on()) cpu_serial_note_return();
}

static void wait_for_work(op_queue *queue)
{
    cpu_engine_unlock();
    spin_for_work(&queue->ready);
    cpu_engine_lock();
    while (atomic_load_explicit(&queue->ready, memory_order_relaxed) == 0) {
        queue->asleep++;
        cpu_engine_sleep(&queue->work);
        queue->asleep--;
    }
}

static void *serve(void *argument)
{
    op_queue *queue = argument;
    cpu_engine_lock();
    const int lane = queue->lanes++;
    if (cpu_schedule_is_on()) host_threads_count_caller(false);
    for (;;) {
        uint64_t first, count;
        cpu_op *op = claim(queue, &first, &count, lane);
        if (op)
            run_claimed(op, first, count);
        else
            wait_for_work(queue);
    }
    return NULL;
}

lab_status cpu_engine_thread(void *(*run)(void *argument), void *argument)
{
    /* The program's signal handlers run on the program's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return lab_fail(LAB_ERROR_NOT_INITIALIZED, "the CPU device cannot start a thread: %s", strerror(error));
    pthread_detach(thread);
    return LAB_SUCCESS;
}

/* Starts the threads that are missing, all or, after a failure, the rest; with the lock. */
static lab_status start_threads(op_queue *queue, int threads)
{
    if (!queue->threads) pthread_cond_init(&queue->work, NULL);
    queue->threads = threads;
    for (; queue->started < threads; queue->started++) LAB_TRY(cpu_engine_thread(serve, queue));
    return LAB_SUCCESS;
}

lab_status cpu_engine_start(int device, int multiprocessors)
{
    lab_status status = LAB_SUCCESS;
    cpu_engine_lock();
    most_spinning = cpu_usable_cores() - 1;
    for (int i = CPU_QUEUE_COMPUTE; i < CPU_QUEUES && status == LAB_SUCCESS; i++)
        if (i == CPU_QUEUE_HOST || !cpu_schedule_is_on())
            status = start_threads(&queues[device][i], i == CPU_QUEUE_COMPUTE ? multiprocessors : 1);
    cpu_engine_unlock();
    return status;
}

/* With a schedule on, the runner runs operations for the calling thread. */
static void wait_by_schedule(cpu_op *op)
{
    if (cpu_op_done(op)) return;
    cpu_serial_request request;
    cpu_engine_lock();
    op->awaited = true;
    cpu_serial_begin_wait(&request, op);
    while (!cpu_op_done(op)) cpu_standstill_sleep(&op_done);
    cpu_serial_end_wait(&request);
    cpu_engine_unlock();
}

void cpu_op_wait_outside(cpu_op *op, bool sleep)
{
    if (cpu_op_done(op)) return;
    const bool paused = retire_pause();
    cpu_op_wait(op, sleep);
    retire_resume(paused);
}

void cpu_op_wait(cpu_op *op, bool sleep)
{
    if (cpu_schedule_is_on()) {
        wait_by_schedule(op);
        return;
    }
    if (!sleep && most_spinning > 0 && look_for(is_done, op)) return;
    cpu_engine_lock();
    op->awaited = true;
    while (!cpu_op_done(op)) cpu_standstill_sleep(&op_done);
    cpu_engine_unlock();
}
