/*
 * The CPU devices' engines: the threads that run operations. Each device has queues and threads of its own: every
 * thread of its compute queue is a multiprocessor; one thread each copies to the device, copies from it, and calls
 * host functions. An operation may wait for one of another device.
 */
#ifndef LAB_CPU_ENGINE_ENGINE_H
#define LAB_CPU_ENGINE_ENGINE_H

#include "operation.h"

enum { CPU_MOST_DEVICES = 16 };

/* Starts the device's threads; does nothing if they run already. With a schedule on, only host functions have a thread:
 * the serial runner runs everything else. */
lab_status cpu_engine_start(int device, int multiprocessors);

/* Waits until the operation is done, asleep at once if `sleep`. Called without the engine's lock. */
void cpu_op_wait(cpu_op *op, bool sleep);

/* The same where the caller needs nothing afterwards that may be retired, but what it keeps (base/retire.h). */
void cpu_op_wait_outside(cpu_op *op, bool sleep);

/* ---- With the engine's lock ---- */

/* Hands the operation over: it runs once its dependencies are done. */
void cpu_op_submit(cpu_op *op);

/* Whether a host function is still to be called, which may wait for the program. */
bool cpu_engine_has_host_work(void);

/* Gives up on an operation whose dependencies could not all be noted: it will do nothing when the others are done. */
void cpu_op_abandon(cpu_op *op);

/* ---- For the serial runner ---- */

/* With the lock: notes that the operation begins, if it has not yet; that it is done; gives it to its own queue's
 * thread. */
void cpu_op_note_start(cpu_op *op, int lane);
void cpu_op_complete(cpu_op *op);
void cpu_op_hand_over(cpu_op *op);

/* Without it: runs blocks, unless the operation was cancelled. */
void cpu_op_run(cpu_op *op, uint64_t first, uint64_t count);

/* Starts a thread that no signal of the program's reaches. */
lab_status cpu_engine_thread(void *(*run)(void *argument), void *argument);

#endif
