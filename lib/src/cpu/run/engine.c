/* Operations, their dependencies, and the threads that run them: one lock for all, a set of queues a device, of each
 * rank first ready first run. */
#include "engine.h"

#include "capacity.h"
#include "host_threads.h"
#include "base/monotonic.h"
#include "serial_runner.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* How long a thread looks for work, or a host thread for the end of it, before it sleeps: a wake-up costs more. */
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
    int lanes;   /* numbers that threads took for themselves */
    pthread_cond_t work;
} op_queue;

static pthread_mutex_t engine_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t op_done = PTHREAD_COND_INITIALIZER;
static op_queue queues[CPU_MOST_DEVICES][CPU_QUEUES];
static atomic_int spinning;
static atomic_int most_spinning; /* leaves a core to whoever has work */

void cpu_engine_lock(void) { pthread_mutex_lock(&engine_lock); }

void cpu_engine_unlock(void) { pthread_mutex_unlock(&engine_lock); }

cpu_op *cpu_op_create(cpu_queue queue, size_t payload_bytes)
{
    cpu_op *op = malloc(sizeof *op + payload_bytes);
    if (!op) {
        lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue an operation");
        return NULL;
    }
    memset(op, 0, sizeof *op);
    op->queue = queue;
    op->payload_bytes = payload_bytes;
    op->blocks = 1;
    op->references = 1;
    op->unfinished = 1;
    if (!cpu_schedule_is_on()) return op;
    op->turn = calloc(1, sizeof *op->turn);
    if (op->turn) return op;
    free(op);
    lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to enqueue an operation");
    return NULL;
}

cpu_op *cpu_op_retain(cpu_op *op)
{
    op->references++;
    return op;
}

void cpu_op_release(cpu_op *op)
{
    if (!op || --op->references > 0) return;
    if (op->queue == CPU_QUEUE_GROUP) cpu_group_release(op->group);
    if (op->discard) op->discard(op);
    cpu_op_release(op->model);
    free(op->dependent);
    free(op->turn);
    free(op);
}

void cpu_op_drop(cpu_op *op)
{
    cpu_engine_lock();
    cpu_op_release(op);
    cpu_engine_unlock();
}

bool cpu_op_done(const cpu_op *op) { return atomic_load_explicit(&op->done, memory_order_acquire); }

lab_status cpu_op_depend(cpu_op *op, cpu_op *first)
{
    if (!first || first == op || cpu_op_done(first)) return LAB_SUCCESS;
    if (first->dependents == first->dependents_capacity) {
        int capacity = first->dependents_capacity ? 2 * first->dependents_capacity : 2;
        cpu_op **larger = realloc(first->dependent, (size_t)capacity * sizeof(cpu_op *));
        if (!larger) return lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory to order an operation after another");
        first->dependent = larger;
        first->dependents_capacity = capacity;
    }
    first->dependent[first->dependents++] = op;
    op->unfinished++;
    return LAB_SUCCESS;
}

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

/* Marks the operation done and adds the operations that only waited for it to the list of ready ones. */
static void finish(cpu_op *op, op_list *ready)
{
    op->end_ns = monotonic_ns();
    if (op->times) {
        if (op->queue == CPU_QUEUE_NONE) atomic_store(&op->times->start_ns, op->end_ns);
        atomic_store(&op->times->end_ns, op->end_ns);
    }
    atomic_store_explicit(&op->done, true, memory_order_release);
    if (op->awaited) pthread_cond_broadcast(&op_done);
    if (op->turn) cpu_schedule_remove(op);
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
    if (op->turn) cpu_schedule_remove(op);
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
    for (int i = 0; i < group->members && launch->turn; i++) cpu_schedule_add_member(group->member[i], launch);
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
        else if (op->turn)
            cpu_turns_ready(op);
        else
            push(&queues[op->device][op->queue], op);
    }
}

void cpu_op_submit(cpu_op *op)
{
    cpu_op_retain(op);
    if (op->turn) cpu_schedule_add(op);
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
    if (op->group)
        finish_member(op, &ready);
    else
        finish(op, &ready);
    start(ready);
}

cpu_group *cpu_group_create(int members)
{
    cpu_group *made = calloc(1, sizeof *made + (size_t)members * sizeof made->member[0]);
    if (!made) lab_fail(LAB_ERROR_OUT_OF_MEMORY, "no host memory for a graph of %d nodes", members);
    if (made) made->references = 1;
    return made;
}

/* A member like the model, not yet in its place. */
static cpu_op *create_member(cpu_group *group, cpu_op *model)
{
    cpu_op *made = cpu_op_create(model->queue, model->payload_bytes);
    if (!made) return NULL;
    memcpy(made->payload, model->payload, model->payload_bytes);
    made->run = model->run;
    made->blocks = model->blocks;
    made->bytes = model->bytes;
    made->device = model->device;
    made->rank = model->rank;
    made->cancelled = model->cancelled;
    made->model = cpu_op_retain(model);
    made->group = group;
    made->unfinished = 0;
    for (int i = 0; made->turn && i < model->turn->touches; i++) cpu_schedule_touches(made, model->turn->touch[i]);
    return made;
}

lab_status cpu_group_add(cpu_group *group, cpu_op *model)
{
    cpu_op *made = create_member(group, model);
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    group->member[group->members++] = made;
    return LAB_SUCCESS;
}

lab_status cpu_group_depend(cpu_group *group, int member, int first)
{
    LAB_TRY(cpu_op_depend(group->member[member], group->member[first]));
    group->member[member]->waits = group->member[member]->unfinished;
    return LAB_SUCCESS;
}

lab_status cpu_group_replace(cpu_group *group, int member, cpu_op *model, const int *before, int befores)
{
    cpu_op *made = create_member(group, model), *replaced = group->member[member];
    if (!made) return LAB_ERROR_OUT_OF_MEMORY;
    made->waits = made->unfinished = replaced->waits;
    made->dependent = replaced->dependent;
    made->dependents = replaced->dependents;
    made->dependents_capacity = replaced->dependents_capacity;
    replaced->dependent = NULL;
    for (int i = 0; i < befores; i++) {
        cpu_op *first = group->member[before[i]];
        for (int d = 0; d < first->dependents; d++)
            if (first->dependent[d] == replaced) first->dependent[d] = made;
    }
    group->member[member] = made;
    cpu_op_release(replaced);
    return LAB_SUCCESS;
}

void cpu_op_run_group(cpu_op *op, cpu_group *group)
{
    group->references++;
    op->group = group;
}

void cpu_group_release(cpu_group *group)
{
    if (!group || --group->references > 0) return;
    for (int i = 0; i < group->members; i++) cpu_op_release(group->member[i]);
    free(group);
}

void cpu_op_note_start(cpu_op *op, int lane)
{
    if (!op->times || atomic_load(&op->times->start_ns) != 0) return;
    atomic_store(&op->times->lane, lane);
    atomic_store(&op->times->start_ns, monotonic_ns());
}

void cpu_op_hand_over(cpu_op *op) { push(&queues[op->device][op->queue], op); }

/* Takes the next blocks of the queue's first operation; NULL if there is none. */
static cpu_op *claim(op_queue *queue, uint64_t *first, uint64_t *count, int lane)
{
    op_list *list = queue->list;
    while (list < queue->list + CPU_PRIORITIES && !list->first) list++;
    if (list == queue->list + CPU_PRIORITIES) return NULL;
    cpu_op *op = list->first;
    uint64_t left = op->blocks - op->claimed;
    *first = op->claimed;
    *count = left / (uint64_t)(queue->threads * SHARE);
    if (*count == 0) *count = 1;
    if (op->claimed == 0) cpu_op_note_start(op, lane);
    op->claimed += *count;
    if (op->claimed == op->blocks) {
        remove_first(list);
        atomic_fetch_sub_explicit(&queue->ready, 1, memory_order_relaxed);
    }
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

/* Looks for a little while whether the condition holds of something, and says so. Now and then it lets another thread
 * have the core: on a busy machine the one it waits for may be on the same. */
static bool look_for(bool (*holds)(const void *), const void *of)
{
    int64_t give_up = monotonic_ns() + SPIN_NS;
    do {
        for (int i = 0; i < PAUSES_BETWEEN_LOOKS; i++) {
            if (holds(of)) return true;
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

static void *serve(void *of)
{
    op_queue *queue = of;
    pthread_mutex_lock(&engine_lock);
    int lane = queue->lanes++;
    if (cpu_schedule_is_on()) host_threads_count_caller(false);
    for (;;) {
        uint64_t first, count;
        cpu_op *op = claim(queue, &first, &count, lane);
        if (op) {
            pthread_mutex_unlock(&engine_lock);
            if (op->turn) host_threads_count_caller(true);
            cpu_op_run(op, first, count);
            if (op->turn) host_threads_count_caller(false);
            pthread_mutex_lock(&engine_lock);
            op->finished += count;
            if (op->finished == op->blocks) cpu_op_complete(op);
            if (cpu_schedule_is_on()) cpu_turns_returned();
            continue;
        }
        pthread_mutex_unlock(&engine_lock);
        spin_for_work(&queue->ready);
        pthread_mutex_lock(&engine_lock);
        while (atomic_load_explicit(&queue->ready, memory_order_relaxed) == 0) {
            queue->asleep++;
            pthread_cond_wait(&queue->work, &engine_lock);
            queue->asleep--;
        }
    }
    return NULL;
}

lab_status cpu_engine_thread(void *(*run)(void *of), void *of)
{
    /* The program's signal handlers run on the program's threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    int error = pthread_create(&thread, NULL, run, of);
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
    if (status == LAB_SUCCESS && cpu_schedule_is_on()) status = cpu_turns_start();
    cpu_engine_unlock();
    return status;
}

bool cpu_engine_sleep(pthread_cond_t *until, const struct timespec *limit)
{
    if (!limit) return pthread_cond_wait(until, &engine_lock) != 0;
    return pthread_cond_timedwait(until, &engine_lock, limit) != 0;
}

void cpu_op_wait(cpu_op *op, bool sleep)
{
    const bool by_turns = cpu_schedule_is_on();
    if (by_turns ? cpu_op_done(op) : !sleep && most_spinning > 0 && look_for(is_done, op)) return;
    pthread_mutex_lock(&engine_lock);
    op->awaited = true;
    cpu_turns_request waiting;
    if (by_turns) cpu_turns_begin_wait(&waiting, op);
    while (!cpu_op_done(op)) pthread_cond_wait(&op_done, &engine_lock);
    if (by_turns) cpu_turns_end_wait(&waiting);
    pthread_mutex_unlock(&engine_lock);
}
