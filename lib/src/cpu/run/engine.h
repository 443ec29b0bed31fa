/*
 * The CPU devices' engines: operations that wait for other operations, and the threads that run them. Each device has
 * queues and threads of its own: every thread of its compute queue is a multiprocessor; one thread each copies to the
 * device, copies from it, and calls host functions. An operation may wait for one of another device. The engine knows
 * nothing of streams: the order is whatever dependencies it is told.
 */
#ifndef LAB_CPU_RUN_ENGINE_H
#define LAB_CPU_RUN_ENGINE_H

#include "seam/backend.h"

#include <pthread.h>

enum { CPU_MOST_DEVICES = 16, CPU_PRIORITIES = 6 };

typedef enum cpu_queue {
    CPU_QUEUE_NONE,  /* nothing to run: done as soon as its dependencies are (markers, events) */
    CPU_QUEUE_GROUP, /* runs a group of operations: done when they are */
    CPU_QUEUE_COMPUTE,
    CPU_QUEUE_HTOD,
    CPU_QUEUE_DTOH,
    CPU_QUEUE_HOST,
    CPU_QUEUES
} cpu_queue;

typedef struct cpu_op cpu_op;
typedef struct cpu_group cpu_group;
typedef struct cpu_captured cpu_captured;
typedef struct cpu_turn cpu_turn;

struct cpu_op {
    /* The maker fills these between cpu_op_create and cpu_op_submit. */
    void (*run)(cpu_op *op, uint64_t first, uint64_t count); /* blocks [first, first + count), on any thread */
    uint64_t blocks;                                         /* 1 unless set */
    int device;                                              /* whose threads run it */
    int rank;     /* of the ready operations of a queue those of the lowest rank start first: 0 to CPU_PRIORITIES - 1 */
    size_t bytes; /* of a copy or a fill, which a schedule may run in any number of blocks; else 0 */
    backend_times *times;        /* NULL if nobody asks */
    uint64_t ledger_count;       /* of a kernel, or of a group of operations: ledger_now() at the call */
    const atomic_int *cancelled; /* once this is not 0 the operation is done without being run; or NULL */
    void (*describe)(cpu_captured *into, const cpu_op *op); /* NULL: it cannot be captured (capture.h) */
    void (*discard)(cpu_op *op); /* when it is freed: gives back what the payload holds; NULL if nothing */

    /* The engine's own. */
    cpu_queue queue;
    size_t payload_bytes;
    int references;
    int unfinished;             /* dependencies not done yet, plus 1 until submitted */
    cpu_group *group;           /* which it runs, or is a member of */
    cpu_op *model;              /* a member: whose payload its own is a copy of, and may point into */
    int waits;                  /* a member: its dependencies, all of them members */
    uint64_t claimed, finished; /* blocks */
    atomic_bool done;
    bool awaited; /* a host thread sleeps until it is done */
    int64_t end_ns;
    cpu_op **dependent;
    int dependents, dependents_capacity;
    cpu_op *next;   /* in a queue or a list of ready operations */
    cpu_turn *turn; /* what a schedule keeps of it (schedule.h); NULL without one */
    _Alignas(max_align_t) unsigned char payload[];
};

/* Operations that run together, again and again, in one order: the nodes of a graph. */
struct cpu_group {
    int references; /* the maker's, and one for each operation that is to run it and is not done */
    cpu_op *launch; /* which runs it now */
    int left;       /* members of that run that are not done */
    int members;
    cpu_op *member[];
};

/* Starts the device's threads; nothing to do if they run already. */
lab_status cpu_engine_start(int device, int multiprocessors);

/* A new operation with one reference, the caller's; NULL (with the message set) if memory ran out. */
cpu_op *cpu_op_create(cpu_queue queue, size_t payload_bytes);

/* What the operation's maker keeps in it, of the size asked for. */
static inline void *cpu_op_payload(cpu_op *op) { return op->payload; }

/* All that follows, up to cpu_engine_unlock, needs the engine's lock. */
void cpu_engine_lock(void);
void cpu_engine_unlock(void);

/* Makes `op`, not yet submitted, wait for `first`; nothing to do if that is NULL or done. */
lab_status cpu_op_depend(cpu_op *op, cpu_op *first);

/* Hands the operation over: it runs once its dependencies are done. */
void cpu_op_submit(cpu_op *op);

/* Gives up on an operation whose dependencies could not all be noted: it will do nothing when the others are done. */
void cpu_op_abandon(cpu_op *op);

/* A group without members that will have as many as said; NULL (with the message set) if memory ran out. */
cpu_group *cpu_group_create(int members);

/* Makes an operation like `model`, which was never submitted, the next member. */
lab_status cpu_group_add(cpu_group *group, cpu_op *model);

/* Makes one member wait for another in every run. The group has not run yet. */
lab_status cpu_group_depend(cpu_group *group, int member, int first);

/* Puts an operation like `model` in a member's place. `before` lists the members that it waits for. The caller holds the
 * only reference to the group. */
lab_status cpu_group_replace(cpu_group *group, int member, cpu_op *model, const int *before, int befores);

/* Makes `op`, of CPU_QUEUE_GROUP and not yet submitted, run the group, one member after and beside the other as they
 * depend. Two operations that run the same group must wait for each other. */
void cpu_op_run_group(cpu_op *op, cpu_group *group);

/* Gives a reference up; the last one frees. */
void cpu_group_release(cpu_group *group);

/* References keep an operation's outcome readable; the engine keeps its own until the operation is done. */
cpu_op *cpu_op_retain(cpu_op *op);
void cpu_op_release(cpu_op *op);

/* cpu_op_release for a caller without the lock. */
void cpu_op_drop(cpu_op *op);

/* Without the lock: whether the operation is done; waiting until it is, asleep at once if `sleep`. */
bool cpu_op_done(const cpu_op *op);
void cpu_op_wait(cpu_op *op, bool sleep);

/* ---- For who runs operations by a schedule (turns.h) ---- */

/* With the lock: notes that the operation begins, if it has not yet; that it is done; gives it to its own queue's thread. */
void cpu_op_note_start(cpu_op *op, int lane);
void cpu_op_complete(cpu_op *op);
void cpu_op_hand_over(cpu_op *op);

/* Without it: runs blocks, unless the operation was cancelled. */
void cpu_op_run(cpu_op *op, uint64_t first, uint64_t count);

/* Sleeps with the lock given up; whether the time limit, if there is one, came first. */
bool cpu_engine_sleep(pthread_cond_t *until, const struct timespec *limit);

/* Starts a thread that no signal of the program's reaches. */
lab_status cpu_engine_thread(void *(*run)(void *of), void *of);

#endif
