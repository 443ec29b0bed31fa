/*
 * What host threads ask of the thread that runs operations by a schedule (serial_runner.h), and how they are answered.
 *
 * The passing of time alone makes nothing run, so that the order does not depend on the machine's load. An operation
 * runs when a host thread waits for something, has asked often enough whether something is done, or has enqueued too
 * much.
 *
 * Everything here needs the engine's lock, unless it says otherwise.
 */
#ifndef LAB_CPU_ENGINE_SERIAL_REQUESTS_H
#define LAB_CPU_ENGINE_SERIAL_REQUESTS_H

#include "operation.h"

/* A host thread that waits for an operation, or until one operation has run. It lives on that thread's stack. */
typedef struct cpu_serial_request {
    cpu_op *target; /* NULL: any operation */
    bool all;       /* until nothing can run */
    bool answered;
    struct cpu_serial_request *next;
} cpu_serial_request;

/* ---- What host threads and the engine do ---- */

/* An operation has become ready, or a host function has returned. */
void cpu_serial_note_ready(cpu_op *op);
void cpu_serial_note_return(void);

/* The calling thread begins to wait for the operation, which makes it run; ends. */
void cpu_serial_begin_wait(cpu_serial_request *wait, cpu_op *op);
void cpu_serial_end_wait(cpu_serial_request *wait);

/* The program asked whether the operation is done, and it is not: if it asks again and again, an operation runs.
 * Releases the lock meanwhile; the caller holds a reference to the operation. Does nothing without a schedule. */
void cpu_serial_note_question(cpu_op *op);

/* An operation has been enqueued: what the schedule wants to run at once runs. Called without the lock. Does nothing
 * without a schedule. */
void cpu_serial_note_enqueued(void);

/* ---- What the runner does ---- */

/* The latest request of each kind; NULL if there is none. A step waits until one operation has run. */
cpu_serial_request *cpu_serial_waits(void);
cpu_serial_request *cpu_serial_steps(void);

/* Ends a step; one for all operations goes on until nothing could run. */
void cpu_serial_answer(cpu_serial_request *step, bool nothing_ran);

/* How often the program has called. */
uint64_t cpu_serial_calls(void);

/* Sleeps until there is something new to look at. The second form sleeps for at most so long, and returns true if that
 * came first. */
void cpu_serial_sleep(void);
bool cpu_serial_sleep_for(int milliseconds);

#endif
