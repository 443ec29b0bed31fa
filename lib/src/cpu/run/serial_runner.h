/*
 * Operations one at a time: the thread that runs them when a schedule is on, and what makes it run one. Knows who waits on
 * the host and for what; which operation is next it asks the schedule.
 *
 * Nothing runs because time has passed, so that the order does not depend on the machine's load: an operation runs when
 * a host thread waits for something, has asked often enough whether something is done, or has enqueued too much. Host
 * functions are called by their own thread, because they may wait for the program.
 */
#ifndef LAB_CPU_RUN_SERIAL_RUNNER_H
#define LAB_CPU_RUN_SERIAL_RUNNER_H

#include "schedule.h"

/* Starts the thread, once; with the engine's lock. */
lab_status cpu_turns_start(void);

/* A host thread that waits for an operation, or until one has got on. */
typedef struct cpu_turns_request {
    cpu_op *target; /* NULL: any */
    bool all;       /* until nothing can run */
    bool answered;
    struct cpu_turns_request *next;
} cpu_turns_request;

/* ---- With the engine's lock ---- */

/* An operation has become ready, or a host function has returned. */
void cpu_turns_ready(cpu_op *op);
void cpu_turns_returned(void);

/* The calling thread begins to wait for the operation, which is run; ends. */
void cpu_turns_begin_wait(cpu_turns_request *waiting, cpu_op *op);
void cpu_turns_end_wait(cpu_turns_request *waiting);

/* A program asked whether the operation is done, and it is not. Asked again and again, it gets on. Gives the lock up
 * meanwhile; the caller holds a reference. */
void cpu_turns_asked(cpu_op *op);

/* ---- Without the lock ---- */

/* An operation has been enqueued. */
void cpu_turns_enqueued(void);

#endif
