/* Two lists of requests, the latest first: threads that wait for an operation, and threads that wait for a step. */
#include "serial_requests.h"

#include "engine_lock.h"
#include "schedule.h"
#include "schedule_setting.h"
#include "standstill.h"

#include <pthread.h>

enum {
    MOST_PENDING = 512, /* more pending operations than these are not put off */
    PATIENCE = 32,      /* questions in a row that make nothing run */
};

static pthread_cond_t due = PTHREAD_COND_INITIALIZER, answered = PTHREAD_COND_INITIALIZER;
static cpu_serial_request *waits, *steps;
static int questions;
static uint64_t calls;

void cpu_serial_note_ready(cpu_op *op)
{
    op->entry->ready = true;
    pthread_cond_signal(&due);
}

void cpu_serial_note_return(void) { pthread_cond_signal(&due); }

cpu_serial_request *cpu_serial_waits(void) { return waits; }

cpu_serial_request *cpu_serial_steps(void) { return steps; }

uint64_t cpu_serial_calls(void) { return calls; }

void cpu_serial_sleep(void) { cpu_engine_sleep(&due); }

bool cpu_serial_sleep_for(int milliseconds) { return cpu_engine_sleep_for(&due, milliseconds); }

static void remove_request(cpu_serial_request **list, const cpu_serial_request *removed)
{
    while (*list != removed) list = &(*list)->next;
    *list = removed->next;
}

void cpu_serial_begin_wait(cpu_serial_request *wait, cpu_op *op)
{
    calls++;
    questions = 0;
    *wait = (cpu_serial_request){.target = op, .next = waits};
    waits = wait;
    pthread_cond_signal(&due);
}

void cpu_serial_end_wait(cpu_serial_request *wait)
{
    calls++;
    remove_request(&waits, wait);
}

/* Waits until one operation has run, or nothing can. */
static void step(cpu_op *target, bool all)
{
    cpu_serial_request request = {.target = target, .all = all, .next = steps};
    steps = &request;
    pthread_cond_signal(&due);
    while (!request.answered) cpu_standstill_sleep(&answered);
}

void cpu_serial_answer(cpu_serial_request *request, bool nothing_ran)
{
    if (request->all && !nothing_ran) return;
    remove_request(&steps, request);
    request->answered = true;
    pthread_cond_broadcast(&answered);
}

void cpu_serial_note_question(cpu_op *op)
{
    if (!cpu_schedule_is_on()) return;
    calls++;
    if (++questions > PATIENCE) step(op, false);
}

void cpu_serial_note_enqueued(void)
{
    if (!cpu_schedule_is_on()) return;
    cpu_engine_lock();
    calls++;
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
