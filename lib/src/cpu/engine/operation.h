/*
 * Operations of the CPU devices, what each waits for, and groups of operations that run together again and again. The
 * engine decides when an operation runs (engine.h). Independent of streams: the order is whatever dependencies say.
 */
#ifndef LAB_CPU_ENGINE_OPERATION_H
#define LAB_CPU_ENGINE_OPERATION_H

#include "schedule_entry.h"
#include "seam/backend.h"

enum { CPU_PRIORITIES = 6 };

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

/* How an operation divides its blocks itself. Its function `run` is then called by several threads at once, each time
 * with all blocks, and returns when none is left that nobody runs, or after a pause was asked for. */
typedef struct cpu_divider {
    bool (*begin)(cpu_op *op, int threads); /* false: the engine must divide them */
    uint64_t (*begun)(const cpu_op *op);    /* blocks */
    void (*pause)(cpu_op *op, bool wanted);
    void (*end)(cpu_op *op);
} cpu_divider;

struct cpu_op {
    /* The maker fills these between cpu_op_create and cpu_op_submit. */
    void (*run)(cpu_op *op, uint64_t first, uint64_t count); /* blocks [first, first + count), on any thread */
    uint64_t blocks;                                         /* 1 unless set */
    int device;                                              /* whose threads run it */
    int rank;     /* from 0 to CPU_PRIORITIES - 1; the ready operations of the lowest rank start first in a queue */
    size_t bytes; /* of a copy or a fill, which a schedule may run in any number of blocks; else 0 */
    backend_times *times;        /* NULL if the times are not wanted */
    uint64_t ledger_count;       /* of one that uses memory, and of a group: ledger_now() at the call */
    const atomic_int *cancelled; /* NULL, or not 0 once the operation is to end without being run */
    void (*describe)(cpu_captured *captured, const cpu_op *op); /* NULL if the operation cannot be captured */
    void (*discard)(cpu_op *op); /* called before it is freed, to give back what the payload holds; or NULL */
    /* Called if the operation stands still (standstill.h), with the blocks that have begun and one of the latest; or
     * NULL. */
    void (*stands)(const cpu_op *op, uint64_t begun, uint64_t latest);
    const cpu_divider *divider; /* NULL if the engine divides the blocks; its functions are called with the lock */
    void *division;             /* the divider's own */

    /* The engine's own. */
    cpu_queue queue;
    size_t payload_bytes;
    int references;
    int unfinished;             /* dependencies that are not done, plus 1 until submitted */
    cpu_group *group;           /* which it runs, or is a member of */
    cpu_op *model;              /* of a member: the operation whose payload is copied here, and may be pointed into */
    int waits;                  /* of a member: its dependencies, all of them members */
    uint64_t claimed, finished; /* blocks */
    bool divided;               /* by its divider, since it began */
    int running;                /* if so: threads that run it */
    bool stood;                 /* still, and `stands` was called */
    atomic_bool done;
    bool awaited; /* a host thread sleeps until it is done */
    int64_t end_ns;
    cpu_op **dependent;
    int dependents, dependents_capacity;
    cpu_op *next;              /* in a queue or a list of ready operations */
    cpu_schedule_entry *entry; /* NULL without a schedule */
    _Alignas(max_align_t) unsigned char payload[];
};

/* Operations that run together, again and again, in one order: the nodes of a graph. */
struct cpu_group {
    int references;  /* the maker's, and one for each operation that is to run it and is not done */
    cpu_op *launch;  /* which runs it now */
    int left;        /* members of that run that are not done */
    bool calls_host; /* a member does */
    int members;
    cpu_op *member[];
};

/* The ledger's count at the call that enqueued the operation, or the group in which it runs. */
static inline uint64_t cpu_op_ledger_count(const cpu_op *op)
{
    return op->group ? op->group->launch->ledger_count : op->ledger_count;
}

/* A new operation with one reference, the caller's; NULL (with the message set) if memory ran out. */
cpu_op *cpu_op_create(cpu_queue queue, size_t payload_bytes);

/* What the operation's maker keeps in it, of the size asked for. */
static inline void *cpu_op_payload(cpu_op *op) { return op->payload; }

static inline bool cpu_op_done(const cpu_op *op) { return atomic_load_explicit(&op->done, memory_order_acquire); }

/* The blocks that have begun, or soon will. With the engine's lock. */
static inline uint64_t cpu_op_begun(const cpu_op *op) { return op->divided ? op->divider->begun(op) : op->claimed; }

/* Tells a schedule that the operation, not yet submitted, touches the memory. Does nothing without a schedule. */
void cpu_op_touches(cpu_op *op, cpu_touch touch);

/* cpu_op_release for a caller without the engine's lock. */
void cpu_op_drop(cpu_op *op);

/* ---- With the engine's lock ---- */

/* References keep an operation's outcome readable; the engine keeps its own until the operation is done. */
static inline cpu_op *cpu_op_retain(cpu_op *op)
{
    op->references++;
    return op;
}

/* Gives a reference up; the last one frees. Does nothing with NULL. */
void cpu_op_release(cpu_op *op);

/* Makes `op`, not yet submitted, wait for `first`; does nothing if that is NULL or done. */
lab_status cpu_op_depend(cpu_op *op, cpu_op *first);

/* A group without members, with room for that many; NULL (with the message set) if memory ran out. */
cpu_group *cpu_group_create(int members);

/* Makes an operation like `model`, which was never submitted, the next member. */
lab_status cpu_group_add(cpu_group *group, cpu_op *model);

/* Makes one member wait for another in every run. The group has not run yet. */
lab_status cpu_group_depend(cpu_group *group, int member, int first);

/* Puts an operation like `model` in a member's place. `before` lists the members that it waits for. The caller holds
 * the only reference to the group. */
lab_status cpu_group_replace(cpu_group *group, int member, cpu_op *model, const int *before, int befores);

/* Makes `op`, of CPU_QUEUE_GROUP and not yet submitted, run the group, each member as soon as those it waits for are
 * done. Two operations that run the same group must wait for each other. */
void cpu_op_run_group(cpu_op *op, cpu_group *group);

/* Gives a reference up; the last one frees. Does nothing with NULL. */
void cpu_group_release(cpu_group *group);

#endif
