/* The runner looks for a request (serial_requests.h), asks the schedule what to run for it, and runs that. */
#include "serial_runner.h"

#include "base/program/host_threads.h"
#include "base/monotonic.h"
#include "base/program/program.h"
#include "engine.h"
#include "engine_lock.h"
#include "schedule.h"
#include "schedule_setting.h"
#include "serial_requests.h"
#include "standstill.h"

enum { LOOK_EVERY_MS = 20 }; /* at a program that does not call */

/* ---- Programs that do not call ---- */

/* What the runner has seen of a program that may be waiting for work that no host thread has asked for. */
static struct silence {
    uint64_t calls; /* of the program, up to now */
    int looks;      /* in a row at which all of its threads waited */
    int64_t since_ns, computed_ns;
    bool is_long;
} silence;

/* Looks whether such a program waits for a callback that is to wake a thread, or for a byte in pinned memory. */
static void look_at_program(void)
{
    const int64_t now = monotonic_ns();
    int64_t computed;
    const bool all_wait = program_all_wait(&computed);
    if (cpu_serial_calls() != silence.calls) {
        silence = (struct silence){.calls = cpu_serial_calls(), .since_ns = now, .computed_ns = computed};
        return;
    }
    silence.looks = all_wait ? silence.looks + 1 : 0;
    silence.is_long =
        silence.looks >= 2 || computed - silence.computed_ns > 500000000 || now - silence.since_ns > 5000000000;
}

/* Whether operations run that no host thread asks for, because the program has not called for so long. */
static bool runs_unasked(void) { return silence.is_long && silence.calls == cpu_serial_calls(); }

static void wait_for_request(void)
{
    if (cpu_schedule_pending() == 0) {
        cpu_serial_sleep();
        return;
    }
    if (cpu_serial_sleep_for(LOOK_EVERY_MS)) look_at_program();
}

/* ---- Running ---- */

/* How much of an operation is run at a time. */
typedef enum amount { AS_SCHEDULED, ALL, ONE_PART } amount;

/* True if some of the operation is left. */
static bool run(cpu_op *op, amount wanted)
{
    if (op->queue == CPU_QUEUE_HOST) {
        op->entry->running = true;
        cpu_op_hand_over(op);
        return false;
    }
    uint64_t parts = cpu_schedule_parts(op);
    if (wanted != AS_SCHEDULED) parts = wanted == ALL ? cpu_schedule_parts_left(op) : 1;
    if (op->entry->parts_started == 0) cpu_op_note_start(op, 0);
    for (; parts > 0; parts--) {
        uint64_t first, count;
        cpu_schedule_next_part(op, &first, &count);
        op->claimed += count;
        cpu_standstill_note(op, first);
        cpu_engine_unlock();
        cpu_op_run(op, first, count);
        cpu_engine_lock();
        cpu_standstill_forget(op);
    }
    if (cpu_schedule_parts_left(op) > 0) return true;
    cpu_op_complete(op);
    return false;
}

/* Runs something for a program that only asks. A copy proceeds by one piece a question, so that a program that looks
 * at the memory meanwhile sees a part of it. */
static void run_for_question(cpu_op *op) { run(op, op->bytes && cpu_schedule_is_adversarial() ? ONE_PART : ALL); }

/* Runs an operation for a wait, and in its pauses others that the same wait needs. */
static void run_for_wait(cpu_op *op, cpu_op *target)
{
    cpu_op_retain(target);
    while (op && run(op, AS_SCHEDULED) && !cpu_op_done(target)) op = cpu_schedule_choose_beside(op, target);
    cpu_op_release(target);
}

static void serve_step(cpu_serial_request *step)
{
    const bool is_done = step->target && cpu_op_done(step->target); /* since the request was made */
    cpu_op *chosen = is_done ? NULL : cpu_schedule_choose(step->target);
    if (chosen) run_for_question(chosen);
    cpu_serial_answer(step, !chosen);
}

/* Serves the first wait whose operation can get on and that no host function holds up. False if there is none. */
static bool serve_waits(void)
{
    const bool unasked = runs_unasked();
    for (cpu_serial_request *wait = cpu_serial_waits(); wait; wait = wait->next) {
        if (cpu_op_done(wait->target) || (!unasked && cpu_schedule_is_held(wait->target))) continue;
        cpu_op *chosen = cpu_schedule_choose(wait->target);
        if (!chosen || (!unasked && cpu_schedule_has_running_rival(chosen))) continue;
        run_for_wait(chosen, wait->target);
        return true;
    }
    return false;
}

static bool run_unasked(void)
{
    cpu_op *chosen = runs_unasked() ? cpu_schedule_choose(NULL) : NULL;
    if (chosen) run(chosen, ALL);
    return chosen != NULL;
}

static void *run_operations(void *unused)
{
    host_threads_count_caller(false);
    cpu_engine_lock();
    for (;;) {
        cpu_serial_request *step = cpu_serial_steps();
        if (step)
            serve_step(step);
        else if (!serve_waits() && !run_unasked())
            wait_for_request();
    }
    return unused;
}

lab_status cpu_serial_runner_start(void)
{
    static bool is_started;
    cpu_engine_lock();
    lab_status status = is_started ? LAB_SUCCESS : cpu_engine_thread(run_operations, NULL);
    is_started = is_started || status == LAB_SUCCESS;
    cpu_engine_unlock();
    return status;
}
