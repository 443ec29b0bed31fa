/* The thread that runs operations one at a time, for the host threads that wait. */
#include "serial_runner.h"

#include "host_threads.h"
#include "base/monotonic.h"

#include <pthread.h>
#include <time.h>

enum {
    MOST_PENDING = 512, /* more than so many operations are not put off */
    PATIENCE = 32,      /* questions in a row that get nothing done */
    LOOK_EVERY_MS = 20, /* at a program that does not call */
};

typedef cpu_turns_request request;

static pthread_cond_t due = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static request *waits, *steps; /* the latest first */
static bool started;
static bool let_go; /* the program has not called for so long that it may be waiting for what nobody asked for */
static int questions;
static uint64_t called; /* how often the program has called */

void cpu_turns_ready(cpu_op *op)
{
    op->turn->ready = true;
    pthread_cond_signal(&due);
}

void cpu_turns_returned(void) { pthread_cond_signal(&due); }

static void note_call(void)
{
    called++;
    let_go = false;
}

/* ---- What host threads do ---- */

static void remove_request(request **list, const request *removed)
{
    while (*list != removed) list = &(*list)->next;
    *list = removed->next;
}

void cpu_turns_begin_wait(request *waiting, cpu_op *op)
{
    note_call();
    questions = 0;
    *waiting = (request){.target = op, .next = waits};
    waits = waiting;
    pthread_cond_signal(&due);
}

void cpu_turns_end_wait(request *waiting)
{
    note_call();
    remove_request(&waits, waiting);
}

/* With the lock: until one operation has run, or nothing can. */
static void step(cpu_op *target, bool all)
{
    request mine = {.target = target, .all = all, .next = steps};
    steps = &mine;
    pthread_cond_signal(&due);
    while (!mine.answered) cpu_engine_sleep(&answered, NULL);
}

void cpu_turns_asked(cpu_op *op)
{
    note_call();
    if (++questions > PATIENCE) step(op, false);
}

void cpu_turns_enqueued(void)
{
    cpu_engine_lock();
    note_call();
    questions = 0;
    switch (cpu_schedule_now()) {
    case CPU_SCHEDULE_FIFO: step(NULL, true); break;
    case CPU_SCHEDULE_RANDOM:
        while (cpu_schedule_random(2)) step(NULL, false);
        break;
    default:
        if (cpu_schedule_pending() > MOST_PENDING) step(NULL, false);
        break;
    }
    cpu_engine_unlock();
}

/* ---- What the thread does ---- */

static void answer_step(request *of, bool nothing_ran)
{
    if (of->all && !nothing_ran) return;
    remove_request(&steps, of);
    of->answered = true;
    pthread_cond_broadcast(&answered);
}

/* A wait that no host function holds up, whose operation can get on; and what is to run for it. */
static cpu_op *choose_for_waits(request **of)
{
    for (*of = waits; *of; *of = (*of)->next) {
        cpu_op *target = (*of)->target;
        if (cpu_op_done(target) || (!let_go && cpu_schedule_is_held(target))) continue;
        cpu_op *chosen = cpu_schedule_choose(target);
        if (chosen && (let_go || !cpu_schedule_has_running_rival(chosen))) return chosen;
    }
    return NULL;
}

/* How much of an operation is run at a time. */
typedef enum amount { AS_SCHEDULED, ALL, ONE_PART } amount;

/* True if some of it is left. */
static bool run(cpu_op *op, amount wanted)
{
    if (op->queue == CPU_QUEUE_HOST) {
        op->turn->running = true;
        cpu_op_hand_over(op);
        return false;
    }
    const uint64_t parts = cpu_schedule_parts(op), left = op->turn->parts - op->turn->at;
    if (op->turn->at == 0) cpu_op_note_start(op, 0);
    cpu_engine_unlock();
    for (uint64_t i = wanted == ALL ? left : wanted == ONE_PART ? 1 : parts; i > 0; i--) {
        uint64_t first, count;
        cpu_schedule_next_part(op, &first, &count);
        cpu_op_run(op, first, count);
    }
    cpu_engine_lock();
    if (op->turn->at < op->turn->parts) return true;
    cpu_op_complete(op);
    return false;
}

/* Runs something for a program that only asks: of a copy a piece a question, so that who looks at the memory meanwhile sees
 * a part of it. */
static void run_for_question(cpu_op *op) { run(op, op->bytes && cpu_schedule_is_adversarial() ? ONE_PART : ALL); }

/* Runs an operation for a wait, and in pauses of it others that the same wait needs. */
static void run_for_wait(cpu_op *op, cpu_op *target)
{
    cpu_op_retain(target);
    while (op && run(op, AS_SCHEDULED) && !cpu_op_done(target)) op = cpu_schedule_choose_beside(op, target);
    cpu_op_release(target);
}

/* Looks now and then whether a program that does not call waits for what nobody has asked for: a callback that is to
 * wake a thread, a byte in pinned memory. */
static void look_at_program(void)
{
    static uint64_t called_before;
    static int still;
    static int64_t since, used_since;
    const int64_t now = monotonic_ns(), used = host_threads_cpu_ns();
    if (called != called_before) {
        called_before = called;
        still = 0;
        since = now;
        used_since = used;
        return;
    }
    still = host_threads_all_wait() ? still + 1 : 0;
    let_go = still >= 2 || used - used_since > 500000000 || now - since > 5000000000;
}

static void wait_for_request(void)
{
    if (cpu_schedule_pending() == 0) {
        cpu_engine_sleep(&due, NULL);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_EVERY_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (cpu_engine_sleep(&due, &until)) look_at_program();
}

static void *take_turns(void *unused)
{
    host_threads_count_caller(false);
    cpu_engine_lock();
    for (;;) {
        request *of = steps;
        if (of) {
            const bool done = of->target && cpu_op_done(of->target); /* while the request waited for its turn */
            cpu_op *chosen = done ? NULL : cpu_schedule_choose(of->target);
            if (chosen) run_for_question(chosen);
            answer_step(of, !chosen);
            continue;
        }
        cpu_op *chosen = choose_for_waits(&of);
        if (chosen)
            run_for_wait(chosen, of->target);
        else if (let_go && (chosen = cpu_schedule_choose(NULL)))
            run(chosen, ALL);
        else
            wait_for_request();
    }
    return unused;
}

lab_status cpu_turns_start(void)
{
    if (started) return LAB_SUCCESS;
    LAB_TRY(cpu_engine_thread(take_turns, NULL));
    started = true;
    return LAB_SUCCESS;
}
