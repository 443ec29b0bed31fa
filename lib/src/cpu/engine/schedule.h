/*
 * The schedule: the list of unfinished operations, and which of those that may run is run next. Knows what waits for
 * what and which memory each operation touches. Every order that it chooses is one that CUDA's rules allow.
 * Independent of threads and of what the host waits for (serial_requests.h).
 *
 * Everything here needs the engine's lock and a schedule that is on (schedule_setting.h).
 */
#ifndef LAB_CPU_ENGINE_SCHEDULE_H
#define LAB_CPU_ENGINE_SCHEDULE_H

#include "operation.h"

/* Puts a submitted operation at the end of the list. Its dependents are not known yet. */
void cpu_schedule_add(cpu_op *op);

/* The same for a member of a group whose launch begins: its place is before the launch. */
void cpu_schedule_add_member(cpu_op *member, cpu_op *launch);

/* The number of the operation that was put in the list last. */
uint64_t cpu_schedule_last_number(void);

/* An event was recorded for the first time. A stream had waited for it in vain, when the operation of that number was
 * the last. What the stream was given since was meant to come after the record, unless the record comes after it. The
 * seed decides whether it counts as enqueued later than the record, with all that follows it. */
void cpu_schedule_note_late_record(const cpu_op *record, const void *stream, uint64_t last_number);

/* Takes an operation that is done out of the list. */
void cpu_schedule_remove(cpu_op *op);

/* The number of operations in the list, without markers. */
int cpu_schedule_pending(void);

/* The operation to run next so that `target` gets done; any operation if that is NULL. Returns NULL if nothing can run,
 * or if the target waits for a host function that is being called. */
cpu_op *cpu_schedule_choose(cpu_op *target);

/* An operation other than `op` to run meanwhile, towards the same target; NULL if there is none or none is wanted. */
cpu_op *cpu_schedule_choose_beside(const cpu_op *op, cpu_op *target);

/* Whether the target waits for a host function that is being called. */
bool cpu_schedule_is_held(cpu_op *target);

/* Whether the operation had better wait for a host function that is being called, though nothing orders the two. */
bool cpu_schedule_has_running_rival(cpu_op *op);

/* How many parts of the operation to run now. The next call tells the blocks of each part, in the parts' order. */
uint64_t cpu_schedule_parts(cpu_op *op);
void cpu_schedule_next_part(cpu_op *op, uint64_t *first, uint64_t *count);

/* The number of parts that have not been started. */
uint64_t cpu_schedule_parts_left(const cpu_op *op);

#endif
