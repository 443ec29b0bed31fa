/*
 * Schedules of the CPU devices: which of the operations that may run is run next, for those who want one order rather
 * than what the machine's threads make of it. Knows what waits for what and which memory each operation touches; refuses
 * to know threads and who waits on the host (turns.h). Every order it chooses is one that CUDA's rules allow.
 *
 *   concurrent       none of this: the engine's threads take what is ready
 *   fifo             what was enqueued first runs first, and before anything else is enqueued
 *   random:SEED      any that is ready; when, is the seed's choice too
 *   adversarial:SEED the order most unkind to edges that are missing: an operation runs only when the host waits for
 *                    it, and of two that touch the same memory and that nothing orders the later one runs first
 */
#ifndef LAB_CPU_RUN_SCHEDULE_H
#define LAB_CPU_RUN_SCHEDULE_H

#include "engine.h"

typedef enum cpu_schedule {
    CPU_SCHEDULE_CONCURRENT,
    CPU_SCHEDULE_FIFO,
    CPU_SCHEDULE_RANDOM,
    CPU_SCHEDULE_ADVERSARIAL,
} cpu_schedule;

/* Memory that an operation touches. */
typedef struct cpu_touch {
    uint64_t first, last; /* addresses */
    bool writes;
    bool host; /* the host's memory */
} cpu_touch;

enum { CPU_MOST_TOUCHES = 16 };

/* What the schedule keeps of an operation. */
struct cpu_turn {
    cpu_op *earlier, *later; /* in the list of operations that are not done, each after those it waits for */
    bool listed, ready;
    bool running;       /* its host function is called */
    bool overtaken;     /* a later one has written what it is to write */
    unsigned precedes;  /* the search that found that another waits for it ... */
    unsigned follows;   /* ... or that it waits for another */
    unsigned visited;   /* the choice that has looked at it ... */
    bool sought;        /* ... and is looking for how to run it */
    uint64_t parts, at; /* in how many it is run, and how many were */
    uint64_t factor, offset;
    int touches;
    cpu_touch touch[CPU_MOST_TOUCHES];
};

/* Reads LAB_SCHEDULE. */
lab_status cpu_schedule_open(void);

cpu_schedule cpu_schedule_now(void);

/* Whether operations run one at a time, in an order chosen here. */
bool cpu_schedule_is_on(void);

/* Whether it is to be unkind where CUDA leaves a choice. */
bool cpu_schedule_is_adversarial(void);

/* Where the threads of a block begin to take turns, and how they go on: thread (offset + i * factor) % threads is the
 * i-th. The first and the last thread are neither the first nor the last to have theirs, as far as there are enough.
 * Depends on the seed and `turn` alone, a number for the block and for what its threads do next. */
void cpu_schedule_shuffle(uint64_t *factor, uint64_t *offset, uint64_t turn, uint64_t threads);

/* Says that the operation, which is not submitted yet, touches the memory. Nothing to do without a schedule. */
void cpu_schedule_touches(cpu_op *op, cpu_touch touch);

/* ---- With the engine's lock, and if a schedule is on ---- */

/* The operation is not done; nothing is known to wait for it yet. */
void cpu_schedule_add(cpu_op *op);

/* A member of a group whose launch begins. */
void cpu_schedule_add_member(cpu_op *member, cpu_op *launch);

void cpu_schedule_remove(cpu_op *op);

/* How many operations are in the list that are more than markers. */
int cpu_schedule_pending(void);

/* The next to run so that `target` gets done; with NULL, any. NULL if there is none, or if it waits for a host function
 * that is being called. */
cpu_op *cpu_schedule_choose(cpu_op *target);

/* Another than `op` that can run meanwhile, to the same end; NULL if there is none or if none is wanted. */
cpu_op *cpu_schedule_choose_beside(const cpu_op *op, cpu_op *target);

/* Whether the target waits for a host function that is being called. */
bool cpu_schedule_is_held(cpu_op *target);

/* Whether the operation had better wait for a host function that is being called, though nothing orders the two. */
bool cpu_schedule_has_running_rival(cpu_op *of);

/* How many parts of the operation to run now; then, one after another, the parts' blocks. */
uint64_t cpu_schedule_parts(cpu_op *op);
void cpu_schedule_next_part(cpu_op *op, uint64_t *first, uint64_t *count);

/* A number from 0 to limit - 1. */
uint64_t cpu_schedule_random(uint64_t limit);

#endif
